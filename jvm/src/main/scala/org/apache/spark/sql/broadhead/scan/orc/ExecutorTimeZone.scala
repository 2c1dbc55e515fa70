package org.apache.spark.sql.broadhead.scan.orc

import java.time.ZoneOffset
import java.util.TimeZone

import org.apache.spark.SparkContext
import org.apache.spark.internal.config.EXECUTOR_JAVA_OPTIONS
import org.apache.spark.sql.broadhead.encoding.Reasons

/** The time zone of the executors' JVMs, in which ORC files have the digits of timestamps. */
private[broadhead] object ExecutorTimeZone {
  private val UtcOption = "-Duser.timezone=UTC"

  /** Why the engine cannot have the same digits; none if the time zone is UTC. */
  def reasons(context: SparkContext): Seq[String] = Reasons.when(!isUtc(context))(
    "timestamps of ORC files in executors with another time zone than UTC are not " +
      s"supported; set $UtcOption in spark.driver.extraJavaOptions and " +
      EXECUTOR_JAVA_OPTIONS.key)

  private def isUtc(context: SparkContext): Boolean = {
    val ownZone = TimeZone.getDefault.toZoneId.normalized
    ownZone == ZoneOffset.UTC && (context.isLocal ||
      context.conf.get(EXECUTOR_JAVA_OPTIONS).exists(_.split("\\s+").contains(UtcOption)))
  }
}
