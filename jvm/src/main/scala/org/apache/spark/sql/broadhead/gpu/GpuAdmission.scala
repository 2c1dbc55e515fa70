package org.apache.spark.sql.broadhead.gpu

import java.util.concurrent.{ConcurrentHashMap, Semaphore, TimeUnit}

import org.apache.spark.TaskContext

/**
 * The tasks of a fragment that use a GPU.
 *
 * @param minBytes smallest input of these tasks if their worker has used the GPU before
 * @param minBytesAtStart smallest input of these tasks otherwise
 * @param atOnce number of fragments that run on the GPU at the same time
 * @param functions a hash of the Python functions that are called on the GPU, if there are any
 */
private[broadhead] case class GpuUse(
    minBytes: Long,
    minBytesAtStart: Long,
    atOnce: Int,
    functions: Option[Int]) {

  /** Smallest input of a task for the GPU now. */
  def least: Long =
    if (GpuAdmission.isWarm(withFunctions = functions.isDefined) || LongFunctions.contain(this))
      minBytes
    else minBytesAtStart

  /** Whether a task reads enough. The size of data from other hosts is not known in advance. */
  def takes(bytes: Long, least: Long): Boolean = bytes >= least
}

/**
 * Limits the number of an executor's tasks on the GPU.
 *
 * Each of them needs a worker with a context on the GPU, which is slow until it has run a kernel
 * once, and contexts take turns. So there are few such workers, in a separate pool, and all tasks
 * use them.
 */
private[broadhead] object GpuAdmission {

  /** Tasks that decompress their input, or compress their output, while others compute. */
  private val Beside = 2
  private val PollMillis = 50L

  private val admitted = ConcurrentHashMap.newKeySet[Long]()
  private var permits: Option[Semaphore] = None

  @volatile private var lastUse: Option[Long] = None
  @volatile private var lastUseWithFunctions: Option[Long] = None

  /** Whether there are workers that have used the GPU, with Python functions or without. */
  def isWarm(withFunctions: Boolean): Boolean = {
    val last = if (withFunctions) lastUseWithFunctions else lastUse
    last.exists(WarmWorkers.isKept)
  }

  /** Waits for a permit, which the task then has until it ends; returns the nanoseconds waited. */
  def enter(use: GpuUse, context: TaskContext): Long =
    if (admitted.contains(context.taskAttemptId())) {
      0L
    } else {
      val start = System.nanoTime()
      val semaphore = semaphoreFor(use)
      while (!semaphore.tryAcquire(PollMillis, TimeUnit.MILLISECONDS))
        context.killTaskIfInterrupted()
      admitted.add(context.taskAttemptId())
      context.addTaskCompletionListener[Unit] { ended =>
        admitted.remove(ended.taskAttemptId())
        lastUse = Some(WarmWorkers.used())
        if (use.functions.isDefined) lastUseWithFunctions = lastUse
        semaphore.release()
      }
      System.nanoTime() - start
    }

  private def semaphoreFor(use: GpuUse): Semaphore = synchronized {
    permits.getOrElse {
      val made = new Semaphore(use.atOnce + Beside)
      permits = Some(made)
      made
    }
  }
}
