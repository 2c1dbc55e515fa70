package org.apache.spark.sql.broadhead.scan.parquet

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.{DeletionVectors, ScanFormat}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.parquet._
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.{DataType, StructType}

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

  override def forSplits(format: FileFormat): FileFormat = new ParquetSplits(format)

  override def reasons(scan: FileSourceScanExec): Seq[String] =
    schemaReasons(scan) ++ optionReasons(scan) ++ DeltaTables.reasons(scan)

  /** Names of columns that no file has, with their kinds, and what differs from the table. */
  override def options(
      scan: FileSourceScanExec,
      encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val stored = storedSchema(scan)
    val generated = generatedKinds(scan).filter { case (name, _) =>
      stored.fieldNames.contains(name)
    }
    val renamed = stored.zip(scan.requiredSchema).collect {
      case (field, wanted) if Json.dataType(field.dataType) != Json.dataType(wanted.dataType) =>
        field.name -> Json.dataType(field.dataType)
    }
    val ids = if (usesFieldIds(scan)) stored.filter(ParquetUtils.hasFieldId) else Nil
    Seq(
      "generated" -> Json.obj(generated.map { case (name, kind) => name -> Json.text(kind) }: _*),
      "storedTypes" -> Json.obj(renamed: _*),
      "widens" -> Json.bool(CompiledSpark.widensParquet),
      "checksCalendar" -> Json.bool(raisesAncient(scan)),
      "fieldIds" -> Json.obj(ids.map { field =>
        field.name -> Json.number(ParquetUtils.getFieldId(field).toLong)
      }: _*))
  }

  override def storedSchema(scan: FileSourceScanExec): StructType =
    if (DeltaTables.isFormat(scan.relation.fileFormat)) DeltaTables.storedSchema(scan)
    else scan.requiredSchema

  /** They are the row index, and columns of the files. */
  override def readsGeneratedMetadata: Boolean = true

  override def deletionVectors(scan: FileSourceScanExec): Option[DeletionVectors] =
    DeltaTables.deletionVectors(scan)

  private def generatedKinds(scan: FileSourceScanExec): Seq[(String, String)] =
    Seq(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME -> "rowIndex") ++
      DeltaTables.generatedKinds(scan.relation.fileFormat)

  private def usesFieldIds(scan: FileSourceScanExec): Boolean =
    scan.conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED)

  override def counts: Seq[(String, String)] = Seq(
    "rowGroups" -> "number of row groups read",
    "rowGroupsPruned" -> "number of row groups pruned")

  override def skipsRows(conf: SQLConf): Boolean = conf.parquetFilterPushDown

  private def schemaReasons(scan: FileSourceScanExec): Seq[String] =
    if (!usesFieldIds(scan)) Nil
    else
      storedSchema(scan).filter(field => holdsFieldIds(field.dataType)).map { field =>
        s"field ids in the nested column ${field.name} are not supported"
      }

  private def holdsFieldIds(dataType: DataType): Boolean = dataType.existsRecursively {
    case fields: StructType => ParquetUtils.hasFieldIds(fields)
    case _ => false
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

  /** Whether old values of files without Spark's version are errors: their calendar is unknown. */
  private def raisesAncient(scan: FileSourceScanExec): Boolean = {
    val parquet = new ParquetOptions(scan.relation.options, scan.conf)
    val modes = Seq(parquet.datetimeRebaseModeInRead, parquet.int96RebaseModeInRead)
    modes.exists(_.toString == LegacyBehaviorPolicy.EXCEPTION.toString)
  }

  private def isEncrypted(scan: FileSourceScanExec): Boolean =
    scan.relation.options.contains(EncryptionKey) ||
      scan.conf.contains(EncryptionKey) ||
      Option(scan.session).exists(_.sparkContext.hadoopConfiguration.get(EncryptionKey) != null)
}
