package org.apache.spark.sql.broadhead.application

import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.SparkListenerEvent
import org.apache.spark.sql.broadhead.versions.{Optional, Recoverable}

/**
 * Tells Spark's UI and event log about Broadhead in an application.
 *
 * Without UI and event log it does nothing. A defect must not fail the application.
 */
private[application] class StateEvents(context: SparkContext) extends Logging {
  private val conf = context.conf
  private val wanted = context.ui.isDefined || context.isEventLogEnabled
  private var last: Option[BroadheadStateEvent] = None

  /** Posts the state by the reports that are there; none means that it is not known yet. */
  def state(reports: Seq[PythonReport]): Unit = if (wanted) guarded {
    val event = eventOf(reports)
    synchronized {
      if (!last.contains(event)) {
        last = Some(event)
        post(event.copy(time = System.currentTimeMillis()))
      }
    }
  }

  def executor(report: ExecutorReport): Unit = if (wanted) guarded {
    val libraries = report.python.libraries
    post(
      BroadheadExecutorEvent(
        report.executor,
        report.host,
        report.python.python,
        libraries.pyarrow,
        libraries.cudf,
        libraries.driver,
        report.python.gpus.map(_.name),
        report.python.gpus.map(_.device),
        report.memory,
        report.tasks,
        report.fault.getOrElse(""),
        System.currentTimeMillis()))
  }

  private def eventOf(reports: Seq[PythonReport]): BroadheadStateEvent = {
    val fault = reports.flatMap(_.fault).headOption.orElse(disabled)
    val gpus =
      if (valueOf(Settings.Device) == "cpu") Nil else reports.flatMap(_.gpus).map(_.name).distinct
    val shown = reports.find(_.fault.isEmpty).orElse(reports.headOption)
    val libraries = shown.fold(LibraryVersions.Unknown)(_.libraries)
    BroadheadStateEvent(
      state = if (fault.isDefined) "off" else if (reports.isEmpty) "starting" else "on",
      reason = fault.getOrElse(""),
      device = if (gpus.isEmpty) "cpu" else "gpu",
      deviceName = gpus.mkString(", "),
      version = BuildInfo.version,
      sparkVersion = context.version,
      python = shown.fold("")(_.python),
      pyarrow = libraries.pyarrow,
      cudf = libraries.cudf,
      driver = libraries.driver,
      time = 0)
  }

  private def disabled: Option[String] =
    Optional.when(!valueOf(Settings.Enabled))(
      s"${Settings.Enabled.key} is false; a session can set it to true")

  private def valueOf[T](setting: io.broadhead.Setting[T]): T =
    setting.valueOf(conf.get(setting.key, setting.defaultText))

  private def post(event: SparkListenerEvent): Unit = context.listenerBus.post(event)

  private def guarded(action: => Unit): Unit =
    try action
    catch {
      case Recoverable(defect) => logInfo("Broadhead cannot be shown in Spark's UI", defect)
    }
}
