package org.apache.spark.sql.broadhead.execution

import java.util.NoSuchElementException

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

/** A session's settings of the workers that run Python functions: what `PythonRunner` reads. */
private[broadhead] case class WorkerSettings(
    faultHandler: Boolean,
    idleTimeoutSeconds: Long,
    killOnIdleTimeout: Boolean,
    tracebackDumpIntervalSeconds: Long,
    killOnFlushFailure: Boolean,
    hideTraceback: Boolean,
    simplifiedTraceback: Boolean,
    tracebackWithLocals: Boolean)

private[broadhead] object WorkerSettings {
  private val Prefix = "spark.sql.execution.pyspark.udf."

  def of(conf: SQLConf): WorkerSettings = WorkerSettings(
    faultHandler = isOn(conf, s"${Prefix}faulthandler.enabled"),
    idleTimeoutSeconds = seconds(conf, s"${Prefix}idleTimeoutSeconds"),
    killOnIdleTimeout = isOn(conf, s"${Prefix}killOnIdleTimeout"),
    tracebackDumpIntervalSeconds = seconds(conf, s"${Prefix}tracebackDumpIntervalSeconds"),
    killOnFlushFailure = isOn(conf, s"${Prefix}daemonKillWorkerOnFlushFailure"),
    hideTraceback = isOn(conf, s"${Prefix}hideTraceback.enabled"),
    simplifiedTraceback = isOn(conf, s"${Prefix}simplifiedTraceback.enabled"),
    tracebackWithLocals = isOn(conf, s"${Prefix}tracebackWithLocals.enabled"))

  /** Whether a setting is true; false in a version of Spark that does not have it. */
  def isOn(conf: SQLConf, key: String): Boolean = value(conf, key).contains("true")

  private def seconds(conf: SQLConf, key: String): Long =
    value(conf, key).map(JavaUtils.timeStringAsSec).getOrElse(0L)

  private def value(conf: SQLConf, key: String): Option[String] =
    try Some(conf.getConfString(key))
    catch { case _: NoSuchElementException => None }
}
