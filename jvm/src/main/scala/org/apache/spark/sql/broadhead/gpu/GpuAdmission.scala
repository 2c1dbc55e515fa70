package org.apache.spark.sql.broadhead.gpu

import java.util.Arrays
import java.util.concurrent.{ConcurrentHashMap, Semaphore, TimeUnit}

import io.broadhead.Settings

import org.apache.spark.api.python.PythonFunction
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.{EncodedFragment, TypeNames}
import org.apache.spark.sql.broadhead.execution.{BroadcastOfTask, FragmentPartition, RowsOfTask, ShuffleBlocksOfTask, TaskSource}
import org.apache.spark.sql.broadhead.operators.FragmentSource
import org.apache.spark.sql.broadhead.pythonfunctions.FunctionPlace
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
  def takes(partition: FragmentPartition, sources: Seq[TaskSource], least: Long): Boolean =
    bytes(partition, sources) >= least

  private def bytes(partition: FragmentPartition, sources: Seq[TaskSource]): Long =
    partition.files.values.flatten.map(_.length).sum + sources.map {
      case blocks: ShuffleBlocksOfTask => blocks.segments.map(_.length).sum
      case BroadcastOfTask(content) => content.bytes
      case _: RowsOfTask => 0L
    }.sum
}

private[broadhead] object GpuUse {

  /** The first use of a GPU in a process takes seconds, in which the CPU reads this much. */
  private val AtStart = 32L << 20

  /** Loading cuDF for Python functions takes many seconds more. */
  private val AtStartWithFunctions = 256L << 20

  /** For the tasks of a fragment; None without a GPU, or if no node can run on it. */
  def of(fragment: EncodedFragment, settings: Settings): Option[GpuUse] =
    Option.when(BroadheadState.mayUseGpu(settings) && computes(fragment)) {
      val places = fragment.functionPlaces
      val always = settings.device == "gpu" || places.contains(FunctionPlace.DeviceOnly)
      val calls = places.exists(_.onDevice)
      val atStart = if (calls) AtStartWithFunctions else AtStart
      GpuUse(
        if (always) 0L else settings.gpuMinBytes,
        if (always) 0L else math.max(settings.gpuMinBytes, atStart),
        settings.gpuConcurrentTasks,
        Option.when(calls)(hash(fragment.pythonFunctions)))
    }

  private def hash(functions: Seq[PythonFunction]): Int =
    functions.map(function => Arrays.hashCode(function.command.toArray)).hashCode

  /** Whether the fragment computes on a GPU; the worker runs other fragments on the CPU. */
  private def computes(fragment: EncodedFragment): Boolean =
    !fragment.root.isInstanceOf[FragmentSource] &&
      !fragment.functionPlaces.contains(FunctionPlace.Host) &&
      !fragment.nodes.exists(_.output.exists(column => TypeNames.isNested(column.dataType)))
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
      val semaphore = placesFor(use)
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

  private def placesFor(use: GpuUse): Semaphore = synchronized {
    permits.getOrElse {
      val made = new Semaphore(use.atOnce + Beside)
      permits = Some(made)
      made
    }
  }
}
