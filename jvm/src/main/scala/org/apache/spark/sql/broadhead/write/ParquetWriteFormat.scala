package org.apache.spark.sql.broadhead.write

import java.util.Locale

import com.fasterxml.jackson.databind.JsonNode

import org.apache.parquet.hadoop.ParquetOutputFormat

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression, If, LessThan, Literal, RaiseError}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.internal.SQLConf.ParquetOutputTimestampType
import org.apache.spark.sql.types._

/** Parquet files with Spark's own types, metadata and compression. */
private[broadhead] object ParquetWriteFormat
    extends TypedWriteFormat("parquet", classOf[ParquetFileFormat]) {
  private val SchemaKey = "org.apache.spark.sql.parquet.row.metadata"
  private val EncryptionKey = "parquet.crypto.factory.class"

  /** pyarrow's names of the codecs that both libraries write. */
  private val Codecs = Map(
    "UNCOMPRESSED" -> "none",
    "SNAPPY" -> "snappy",
    "GZIP" -> "gzip",
    "ZSTD" -> "zstd",
    "BROTLI" -> "brotli",
    "LZ4_RAW" -> "lz4")

  override def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] = {
    val data = WriteFormat.dataColumns(write)
    codecReasons(write) ++ settingReasons(write) ++ calendarReasons(write, data) ++
      data.flatMap(columnReasons) ++ timestampReasons(write.conf, data) ++
      data.map(value(_, WriteOptions.of(write))).flatMap(support.reasons)
  }

  private def codecReasons(write: WriteFilesExec): Seq[String] = {
    val codec = new ParquetOptions(write.options, write.conf).compressionCodecClassName
    Reasons.when(!Codecs.contains(codec))(s"files with the compression $codec are not written")
  }

  private def settingReasons(write: WriteFilesExec): Seq[String] = {
    val own = write.options.keys.filter(_.toLowerCase(Locale.ROOT).startsWith("parquet."))
    val hadoop = write.session.sessionState.newHadoopConfWithOptions(write.options)
    own.toSeq.map(key => s"the option $key is not supported") ++
      Reasons.when(write.conf.writeLegacyParquetFormat)(
        s"${SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key} = true is not supported") ++
      Reasons.when(hadoop.get(EncryptionKey) != null)(
        s"encrypted files ($EncryptionKey) are not written")
  }

  private def calendarReasons(write: WriteFilesExec, data: Seq[Attribute]): Seq[String] =
    calendarReasons(write.conf, data) { (dataType, mode) =>
      mode != LegacyBehaviorPolicy.EXCEPTION.toString || !firstOfToday.contains(dataType)
    }

  /** Why columns are not written whose values are not checked by [[value]]. */
  def uncheckedReasons(conf: SQLConf, data: Seq[Attribute]): Seq[String] =
    calendarReasons(conf, data)((_, _) => true)

  private def calendarReasons(conf: SQLConf, data: Seq[Attribute])(
      refused: (DataType, String) => Boolean): Seq[String] =
    calendarSettings.flatMap { case (setting, types) =>
      val mode = conf.getConf(setting).toString
      Reasons.when(mode != LegacyBehaviorPolicy.CORRECTED.toString && data.exists { column =>
        types.exists(holds(column.dataType, _)) && refused(column.dataType, mode)
      })(s"${setting.key} = $mode is not supported")
    }

  private def calendarSettings = Seq(
    SQLConf.PARQUET_REBASE_MODE_IN_WRITE -> Seq(DateType, TimestampType),
    SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE -> Seq(TimestampType))

  /** The first values that are the same in the calendars of all versions of Spark. */
  private val firstOfToday = Map[DataType, Any](
    DateType -> RebaseDateTime.lastSwitchJulianDay,
    TimestampType -> RebaseDateTime.lastSwitchJulianTs)

  /** By the mode EXCEPTION older values may be an error: Spark's own writer decides. */
  override def value(column: Attribute, options: WriteOptions): Expression = {
    val modes = calendarSettings.map { case (setting, _) =>
      options.conf.getConf(setting).toString
    }
    val first =
      firstOfToday
        .get(column.dataType)
        .filter(_ => modes.contains(LegacyBehaviorPolicy.EXCEPTION.toString))
    first.fold[Expression](column) { value =>
      val raised = new RaiseError(Literal("a value of an older calendar"))
      If(LessThan(column, Literal(value, column.dataType)), Cast(raised, column.dataType), column)
    }
  }

  protected override def columnReasons(column: Attribute): Seq[String] =
    super.columnReasons(column) ++
      Reasons.when(ParquetUtils.hasFieldIds(DataTypeUtils.fromAttributes(Seq(column))))(
        s"column ${column.name} has a field id, which is not written")

  /** One setting of pyarrow's writer decides how all timestamps of a file are stored. */
  private def timestampReasons(conf: SQLConf, data: Seq[Attribute]): Seq[String] = {
    val kind = conf.parquetOutputTimestampType
    val zoned = data.exists(column => holds(column.dataType, TimestampType))
    val local = data.exists(column => holds(column.dataType, TimestampNTZType))
    Reasons.when(zoned && kind == ParquetOutputTimestampType.TIMESTAMP_MILLIS)(
      s"${SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key} = $kind is not supported") ++
      Reasons.when(zoned && local && kind == ParquetOutputTimestampType.INT96)(
        s"timestamps with and without a time zone in one file, with " +
          s"${SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key} = $kind, are not supported")
  }

  private def holds(dataType: DataType, wanted: DataType): Boolean =
    dataType.existsRecursively(_ == wanted)

  override def settings(
      job: WriteJobDescription,
      options: WriteOptions): Seq[(String, JsonNode)] = {
    val conf = job.serializableHadoopConf.value
    val kind = conf.get(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key)
    val schema = DataTypeUtils.fromAttributes(job.dataColumns)
    val zoned = job.dataColumns.exists(column => holds(column.dataType, TimestampType))
    Seq(
      "compression" -> Json.text(Codecs(conf.get(ParquetOutputFormat.COMPRESSION))),
      "dictionary" -> Json.bool(conf.getBoolean(ParquetOutputFormat.ENABLE_DICTIONARY, true)),
      "int96" -> Json.bool(zoned && kind == ParquetOutputTimestampType.INT96.toString),
      "fieldIds" -> Json.array(Nil),
      "metadata" -> Json.obj(writtenVersion, SchemaKey -> Json.text(schema.json)))
  }
}
