package org.apache.spark.sql.broadhead.scan

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.catalyst.expressions.FileSourceMetadataAttribute
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.parquet._
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}

/** Why the engine cannot read the files of a Parquet scan like Spark. */
private[broadhead] object ParquetScanSupport {
  private val EncryptionKey = "parquet.crypto.factory.class"

  /** Settings with which Spark reads other files or values than the engine. */
  private val plainSettings =
    Seq(SQLConf.PARQUET_INT96_TIMESTAMP_CONVERSION, SQLConf.LEGACY_PARQUET_NANOS_AS_LONG)

  def reasons(scan: FileSourceScanExec): Seq[String] =
    locationReasons(scan) ++ schemaReasons(scan) ++ optionReasons(scan)

  private def locationReasons(scan: FileSourceScanExec): Seq[String] =
    scan.relation.location.rootPaths
      .map(path => Option(path.toUri.getScheme).getOrElse("file"))
      .distinct
      .filter(_ != "file")
      .map(scheme => s"file system $scheme is not supported, only local files are")

  private def schemaReasons(scan: FileSourceScanExec): Seq[String] = {
    val rowIndex = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME
    val metadata =
      scan.output.collect { case FileSourceMetadataAttribute(column) => column.name } ++
        scan.requiredSchema.fieldNames.filter(_ == rowIndex)
    val defaults = scan.requiredSchema.filter(
      _.metadata.contains(ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY))
    val fieldIds = scan.conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED) &&
      ParquetUtils.hasFieldIds(scan.requiredSchema)
    metadata.distinct.map(name => s"the metadata column $name is not supported") ++
      defaults.map(field => s"the default value of column ${field.name} is not supported") ++
      Reasons.when(fieldIds)(
        s"${SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key} = true is not supported")
  }

  private def optionReasons(scan: FileSourceScanExec): Seq[String] = {
    val conf = scan.conf
    val options = scan.relation.options
    val files = new FileSourceOptions(options)
    val parquet = new ParquetOptions(options, conf)
    val legacy = LegacyBehaviorPolicy.LEGACY.toString
    plainSettings.filter(conf.getConf(_)).map(e => s"${e.key} = true is not supported") ++
      Reasons.when(files.ignoreCorruptFiles)("ignoreCorruptFiles = true is not supported") ++
      Reasons.when(files.ignoreMissingFiles)("ignoreMissingFiles = true is not supported") ++
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
