package org.apache.spark.sql.broadhead.scan.json

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.broadhead.scan.text.{LineFiles, LineParsing, LineValues}
import org.apache.spark.sql.catalyst.json.JSONOptions
import org.apache.spark.sql.catalyst.util.PermissiveMode
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.execution.datasources.FileFormat

/** JSON lines: the engine reads plain objects, and Spark's own parser all other lines. */
private[broadhead] object JsonScanFormat extends ScanFormat {
  override def name: String = "json"

  override def sparkClass: Class[_ <: FileFormat] = classOf[JsonFileFormat]

  override def counts: Seq[(String, String)] = LineParsing.counts

  override def lineParsing(scan: FileSourceScanExec): Option[LineParsing] =
    Some(JsonParsing.whenRun(scan))

  override def reasons(scan: FileSourceScanExec): Seq[String] = {
    val parsing = JsonParsing.of(scan)
    val json = parsing.options
    Reasons.when(json.locale != Locale.US)(
      s"locale = ${json.locale.toLanguageTag} is not supported") ++
      values(json).reasons(scan, parsing.inLines, "JSON", nests = true) ++
      LineValues.corruptRecordReasons(
        json.columnNameOfCorruptRecord,
        scan.relation.dataSchema,
        parsing.requiredSchema) ++
      LineFiles.reasons(scan, json.encoding.getOrElse(UTF_8.name), json.lineSeparatorInRead)
  }

  private def values(json: JSONOptions) = LineValues(
    json.dateFormatInRead,
    json.timestampFormatInRead,
    json.timestampNTZFormatInRead,
    json.zoneId.getId)

  override def options(
      scan: FileSourceScanExec,
      encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val parsing = JsonParsing.of(scan)
    val json = parsing.options
    val required = parsing.requiredSchema
    val malformed = json.columnNameOfCorruptRecord
    val columns = required.zipWithIndex.map { case (field, position) =>
      Json.obj(
        "name" -> Json.text(field.name),
        "type" -> Json.dataType(field.dataType),
        "position" -> (if (field.name == malformed) Json.Null else Json.number(position.toLong)))
    }
    Seq(
      "anyLineEnd" -> Json.bool(json.lineSeparatorInRead.isEmpty),
      "multiLine" -> Json.bool(json.multiLine),
      "columns" -> Json.array(columns),
      "valuesAreIndependent" -> Json.bool(
        json.parseMode == PermissiveMode && !json.multiLine && !required.fieldNames.contains(
          malformed))) ++
      values(json).options(required, encoder)
  }
}
