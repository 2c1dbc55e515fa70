package org.apache.spark.sql.broadhead.scan.orc

import com.fasterxml.jackson.databind.JsonNode

import org.apache.orc.OrcConf

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.types.{AtomicType, DataType, TimestampNTZType, TimestampType}

/** ORC, by Spark's own reader: whole stripes. */
private[broadhead] object OrcScanFormat extends ScanFormat {

  /** Settings of ORC's reader with which it gives other rows. */
  private val plainSettings =
    Seq(OrcConf.FORCE_POSITIONAL_EVOLUTION, OrcConf.SKIP_CORRUPT_DATA)

  override def name: String = "orc"

  override def sparkClass: Class[_ <: FileFormat] = classOf[OrcFileFormat]

  override def reasons(scan: FileSourceScanExec): Seq[String] = {
    val hadoop = scan.session.sessionState.newHadoopConfWithOptions(scan.relation.options)
    plainSettings
      .filter(_.getBoolean(hadoop))
      .map(setting => s"${setting.getAttribute} = true is not supported") ++
      timestampReasons(scan)
  }

  /** Names and types of all columns of the files: Spark compares them by their positions. */
  override def options(
      scan: FileSourceScanExec,
      encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Seq("columns" -> Json.array(scan.relation.dataSchema.map { field =>
      Json.texts(Seq(field.name, field.dataType.typeName))
    }))

  override def counts: Seq[(String, String)] = Seq("stripes" -> "number of stripes read")

  /**
   * A file has the digits of a timestamp in the time zone of the JVM that wrote it, and they are
   * read in that of the executor's JVM, whatever the session's time zone is.
   */
  private def timestampReasons(scan: FileSourceScanExec): Seq[String] = {
    val nested = scan.relation.dataSchema.map(_.dataType).filterNot(_.isInstanceOf[AtomicType])
    val timestamps = scan.requiredSchema.exists(_.dataType == TimestampType)
    Reasons.when(nested.exists(_.existsRecursively(isTimestamp)))(
      "ORC files with timestamps in nested columns are not supported") ++
      (if (timestamps) ExecutorTimeZone.reasons(scan.session.sparkContext) else Nil)
  }

  private def isTimestamp(dataType: DataType): Boolean =
    dataType == TimestampType || dataType == TimestampNTZType
}
