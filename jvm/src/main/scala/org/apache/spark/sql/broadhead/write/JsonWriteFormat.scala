package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.json.JSONOptions
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumnsUtils
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.types._

/** JSON, an object a line, as Spark's own writer makes it with Jackson. */
private[broadhead] object JsonWriteFormat
    extends TextsWriteFormat("json", classOf[JsonFileFormat]) {
  private def json(options: WriteOptions): JSONOptions =
    new JSONOptions(
      options.parameters,
      options.conf.sessionLocalTimeZone,
      options.conf.columnNameOfCorruptRecord)

  protected override def formats(options: WriteOptions): ValueFormats = {
    val json = this.json(options)
    ValueFormats(
      json.dateFormatInWrite,
      json.timestampFormatInWrite,
      json.timestampNTZFormatInWrite,
      json.zoneId,
      json.locale)
  }

  override def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] = {
    val asked = WriteOptions.of(write)
    val options = json(asked)
    val columns = WriteFormat.dataColumns(write)
    ValueTexts.encodingReasons(options.encoding.getOrElse("UTF-8")) ++
      Reasons.when(options.pretty)("pretty = true is not supported") ++
      Reasons.when(options.writeNonAsciiCharacterAsCodePoint)(
        "writeNonAsciiCharacterAsCodePoint = true is not supported") ++
      Reasons.when(
        options.ignoreNullFields && options.writeNullIfWithDefaultValue &&
          columns.exists(hasDefault))("nulls of columns with a default value are not written") ++
      ValueTexts.reasons(columns, formats(asked), write.conf, support)
  }

  private def hasDefault(column: Attribute): Boolean =
    Seq(
      ResolveDefaultColumnsUtils.CURRENT_DEFAULT_COLUMN_METADATA_KEY,
      ResolveDefaultColumnsUtils.EXISTS_DEFAULT_COLUMN_METADATA_KEY)
      .exists(column.metadata.contains)

  override def settings(
      job: WriteJobDescription,
      options: WriteOptions): Seq[(String, JsonNode)] = {
    val json = this.json(options)
    Seq(
      "names" -> Json.texts(job.dataColumns.map(_.name)),
      "forms" -> Json.texts(job.dataColumns.map(column => form(column.dataType))),
      "nulls" -> Json.bool(!json.ignoreNullFields),
      "lineSeparator" -> Json.text(json.lineSeparatorInWrite))
  }

  /** How the text of a value stands in a line. */
  private def form(dataType: DataType): String = dataType match {
    case _: StringType => "escaped"
    case FloatType | DoubleType => "float"
    case DateType | TimestampType | TimestampNTZType => "quoted"
    case _ => "plain"
  }
}
