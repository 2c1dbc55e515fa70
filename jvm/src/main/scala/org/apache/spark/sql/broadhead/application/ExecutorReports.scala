package org.apache.spark.sql.broadhead.application

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorRemoved}
import org.apache.spark.sql.broadhead.versions.Optional

/**
 * What an executor says of its own Python, and of its workers' memory.
 *
 * @param memory bytes of all workers together
 * @param tasks number of tasks that may have a worker at the same time
 */
private[broadhead] case class ExecutorReport(
    executor: String,
    host: String,
    python: PythonReport,
    memory: Long,
    tasks: Int) {

  /** Its GPUs, each with the host: numbers mean others there. */
  def devices: Seq[(String, String)] = python.gpus.map(gpu => (host, gpu.device))

  /** Why its tasks run in Spark, and where it is. */
  def fault: Option[String] =
    python.fault.map(text => s"$text (executor $executor on $host)")
}

/**
 * The reports of an application's executors, on the driver.
 *
 * Where the Python of some does not fit, their own tasks run in Spark: the application is
 * switched off only if it fits nowhere.
 */
private[broadhead] class ExecutorReports extends SparkListener with Logging {
  private val running = mutable.LinkedHashMap[String, ExecutorReport]()
  private val warned = mutable.Set[(String, String)]()
  @volatile private var lastFitting: Option[PythonReport] = None

  /** The first report of all. */
  val first = new CompletableFuture[PythonReport]()

  def add(report: ExecutorReport): Unit = synchronized {
    running.put(report.executor, report)
    if (report.python.fault.isEmpty) lastFitting = Some(report.python)
    first.complete(report.python)
    warn()
  }

  override def onExecutorRemoved(removed: SparkListenerExecutorRemoved): Unit = synchronized {
    running.remove(removed.executorId)
  }

  /** Whether an executor has said whether its Python fits; it may have ended since. */
  def known: Boolean = synchronized(running.nonEmpty || lastFitting.isDefined)

  /** Why no running executor can work; None if one can, or if there is none at the moment. */
  def fault: Option[String] = synchronized {
    if (fitting.isEmpty) running.values.flatMap(_.fault).headOption else None
  }

  /** The Python of an executor where it fits. */
  def python: Option[PythonReport] = lastFitting

  /** Those that fit; the others while none does. */
  def deciding: Seq[PythonReport] = synchronized {
    val running = this.running.values.toList
    if (running.isEmpty) lastFitting.toSeq
    else if (fitting.isEmpty) running.map(each => each.python.copy(fault = each.fault))
    else fitting.map(_.python)
  }

  /**
   * Number of the GPUs of the running executors; None if there is no executor. Executors of a host
   * may share one.
   */
  def gpus: Option[Int] = synchronized {
    Optional.when(running.nonEmpty)(fitting.flatMap(_.devices).distinct.size)
  }

  private def fitting = running.values.filter(_.python.fault.isEmpty).toList

  /** Once for each Python of a host; one host stands for all as long as it fits nowhere. */
  private def warn(): Unit = {
    for (report <- running.values; problem <- report.python.gpuProblem)
      if (warned.add((report.host, problem)))
        logWarning(
          s"Broadhead does not use every GPU on ${report.host} (executor ${report.executor}): " +
            problem)
    val unfit = running.values.filter(_.python.fault.isDefined)
    val due = if (fitting.nonEmpty) unfit else unfit.take(1)
    for (report <- due; fault <- report.python.fault) {
      if (warned.add((report.host, report.python.interpreter))) {
        logWarning(
          s"Broadhead is switched off on ${report.host}, the tasks there run on Spark alone " +
            s"(executor ${report.executor}): $fault")
      }
    }
  }
}
