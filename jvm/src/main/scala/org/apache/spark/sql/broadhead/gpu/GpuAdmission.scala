package org.apache.spark.sql.broadhead.gpu

import java.util.concurrent.ConcurrentHashMap

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.broadhead.application.Gpu
import org.apache.spark.sql.broadhead.memory.TaskPermits
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

  /** Smallest input of a task for this GPU now. */
  def least(gpu: Gpu): Long = {
    val warm = GpuAdmission.isWarm(gpu, withFunctions = functions.isDefined)
    if (warm || LongFunctions.contain(this)) minBytes else minBytesAtStart
  }

  /** Whether a task reads enough. The size of data from other hosts is not known in advance. */
  def takes(bytes: Long, least: Long): Boolean = bytes >= least
}

/**
 * Limits the number of an executor's tasks on each of its GPUs.
 *
 * Each of them needs a worker with a context on the GPU, which is slow until it has run a kernel
 * once, and contexts take turns. So there are few such workers, in a separate pool, and all tasks
 * use them.
 */
private[broadhead] object GpuAdmission {

  /** Tasks that decompress their input, or compress their output, while others compute. */
  private val Beside = 2

  private val permits = new ConcurrentHashMap[Gpu, TaskPermits]()
  private val lastUses = TrieMap[(Gpu, Boolean), Long]()

  /** Whether there are workers that have used the GPU, with Python functions or without. */
  def isWarm(gpu: Gpu, withFunctions: Boolean): Boolean =
    lastUses.get((gpu, withFunctions)).exists(WarmWorkers.isKept)

  /**
   * Waits for a permit of the task's GPU, which the task then has until it ends; returns the
   * nanoseconds waited.
   */
  def enter(use: GpuUse, gpu: Gpu, context: TaskContext): Long =
    permits.computeIfAbsent(gpu, _ => new TaskPermits(use.atOnce + Beside)).enter(context) {
      val time = WarmWorkers.used()
      lastUses.put((gpu, false), time)
      if (use.functions.isDefined) lastUses.put((gpu, true), time)
    }
}
