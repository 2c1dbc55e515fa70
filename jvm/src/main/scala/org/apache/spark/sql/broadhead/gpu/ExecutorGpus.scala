package org.apache.spark.sql.broadhead.gpu

import scala.collection.mutable

import org.apache.spark.sql.broadhead.application.{BroadheadState, ExecutorProbe, Gpu}
import org.apache.spark.TaskContext

/** The GPUs of this executor, and the one that each of its tasks has. */
private[broadhead] object ExecutorGpus {
  private val chosen = mutable.Map[Long, Gpu]()

  /** At least one: without a report of any, what a process sees by itself. */
  def all: Seq[Gpu] = {
    val report = ExecutorProbe.python.orElse(BroadheadState.python)
    report.map(_.gpus).filter(_.nonEmpty).getOrElse(Seq(Gpu.Unknown))
  }

  /**
   * The GPU of a task, the same until it ends: the one that Spark has given to the task,
   * otherwise the one with the fewest running tasks.
   */
  def of(context: TaskContext): Gpu = {
    val possible = all
    synchronized {
      chosen.getOrElse(context.taskAttemptId(), choose(possible, context))
    }
  }

  private def choose(possible: Seq[Gpu], context: TaskContext): Gpu = {
    val addresses = context.resources().get(Gpu.Resource).toSeq.flatMap(_.addresses).toSet
    val own = possible.filter(gpu => addresses.contains(gpu.address))
    val running =
      chosen.values.toList.groupBy(identity).map { case (gpu, tasks) => gpu -> tasks.size }
    val gpu = (if (own.isEmpty) possible else own).minBy(running.getOrElse(_, 0))
    chosen.put(context.taskAttemptId(), gpu)
    context.addTaskCompletionListener[Unit](ended => remove(ended.taskAttemptId()))
    gpu
  }

  private def remove(task: Long): Unit = synchronized {
    chosen.remove(task)
    ()
  }
}
