package org.apache.spark.sql.broadhead.scan.parquet

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.parquet._
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}

/** Parquet: row groups, skipped by their statistics. */
private[broadhead] object ParquetScanFormat extends ScanFormat {
  private val EncryptionKey = "parquet.crypto.factory.class"

  /** Settings with which Spark reads other files or values than the engine. */
  private val plainSettings =
    Seq(SQLConf.PARQUET_INT96_TIMESTAMP_CONVERSION, SQLConf.LEGACY_PARQUET_NANOS_AS_LONG)

  override def name: String = "parquet"

  override def sparkClass: Class[_ <: FileFormat] = classOf[ParquetFileFormat]

  override def isFormat(format: FileFormat): Boolean =
    super.isFormat(format) || DeltaTables.isFormat(format)

  override def reasons(scan: FileSourceScanExec): Seq[String] =
    schemaReasons(scan) ++ optionReasons(scan) ++ DeltaTables.reasons(scan)

  override def counts: Seq[(String, String)] = Seq(
    "rowGroups" -> "number of row groups read",
    "rowGroupsPruned" -> "number of row groups pruned")

  override def skipsRows(conf: SQLConf): Boolean = conf.parquetFilterPushDown

  private def schemaReasons(scan: FileSourceScanExec): Seq[String] = {
    val rowIndex = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME
    val fieldIds = scan.conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED) &&
      ParquetUtils.hasFieldIds(scan.requiredSchema)
    Reasons.when(scan.requiredSchema.fieldNames.contains(rowIndex))(
      s"the metadata column $rowIndex is not supported") ++
      Reasons.when(fieldIds)(
        s"${SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key} = true is not supported")
  }

  private def optionReasons(scan: FileSourceScanExec): Seq[String] = {
    val conf = scan.conf
    val parquet = new ParquetOptions(scan.relation.options, conf)
    val legacy = LegacyBehaviorPolicy.LEGACY.toString
    plainSettings.filter(conf.getConf(_)).map(e => s"${e.key} = true is not supported") ++
      Reasons.when(parquet.datetimeRebaseModeInRead.toString == legacy)(
        "datetimeRebaseMode = LEGACY (dates of the Julian calendar) is not supported") ++
      Reasons.when(parquet.int96RebaseModeInRead.toString == legacy)(
        "int96RebaseMode = LEGACY (timestamps of the Julian calendar) is not supported") ++
      Reasons.when(isEncrypted(scan))(s"encrypted files ($EncryptionKey) are not supported")
  }

  private def isEncrypted(scan: FileSourceScanExec): Boolean =
    scan.relation.options.contains(EncryptionKey) ||
      scan.conf.contains(EncryptionKey) ||
      Option(scan.session).exists(_.sparkContext.hadoopConfiguration.get(EncryptionKey) != null)
}
