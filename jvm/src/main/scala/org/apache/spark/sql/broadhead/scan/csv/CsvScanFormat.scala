package org.apache.spark.sql.broadhead.scan.csv

import java.util.Locale

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.broadhead.scan.text.{LineFiles, LineParsing, LineValues}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.util.PermissiveMode
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.FileFormat

/** CSV: the engine reads plain lines, and Spark's own parser all others. */
private[broadhead] object CsvScanFormat extends ScanFormat {
  private val NumberText = "[-+.0-9eE]*"

  override def name: String = "csv"

  override def sparkClass: Class[_ <: FileFormat] = classOf[CSVFileFormat]

  override def counts: Seq[(String, String)] = LineParsing.counts

  override def lineParsing(scan: FileSourceScanExec): Option[LineParsing] =
    Some(CsvParsing.of(scan))

  override def reasons(scan: FileSourceScanExec): Seq[String] = {
    val parsing = CsvParsing.of(scan)
    val csv = parsing.options
    optionReasons(csv) ++ recordReasons(scan, csv) ++ characterReasons(csv) ++ typeReasons(
      scan,
      parsing,
      csv) ++
      LineValues.corruptRecordReasons(
        csv.columnNameOfCorruptRecord,
        parsing.dataSchema,
        parsing.requiredSchema) ++
      Reasons.when(parsing.dataSchema.length > csv.maxColumns)(
        s"there are more columns than maxColumns = ${csv.maxColumns}") ++
      LineFiles.reasons(scan, csv.charset, csv.lineSeparatorInRead)
  }

  private def optionReasons(csv: CSVOptions): Seq[String] =
    Reasons.when(csv.headerFlag && !csv.enforceSchema)(
      "enforceSchema = false is not supported") ++
      Reasons.when(csv.locale != Locale.US)(
        s"locale = ${csv.locale.toLanguageTag} is not supported")

  /** Options that change how files are divided into records where these may have several lines. */
  private def recordReasons(scan: FileSourceScanExec, csv: CSVOptions): Seq[String] = {
    val set = Seq(
      "comment" -> csv.isCommentSet,
      "lineSep" -> csv.lineSeparatorInRead.isDefined,
      "bufferSize" -> scan.relation.options.keys.exists(_.equalsIgnoreCase("bufferSize")))
    set.collect {
      case (name, true) if csv.multiLine => s"multiLine = true with $name is not supported"
    }
  }

  private def characterReasons(csv: CSVOptions): Seq[String] = {
    val special = Seq("quote" -> csv.quote, "escape" -> csv.escape, "comment" -> csv.comment)
    val distinct = Seq(csv.delimiter, csv.quote.toString) ++
      (if (csv.isCommentSet) Seq(csv.comment.toString) else Nil)
    val separator = csv.delimiter
    Reasons.when(separator.length != 1 || !isPlain(separator.head) || separator == " ")(
      "sep is supported only for one ASCII character other than a space") ++
      special.collect {
        case (name, character) if character != '\u0000' && !isPlain(character) =>
          s"$name is supported only for ASCII characters"
      } ++
      Reasons.when(distinct.distinct.length < distinct.length)(
        "sep, quote and comment are not different characters")
  }

  private def isPlain(character: Char): Boolean =
    character < 0x7f && character != '\n' && character != '\r' && character != '\u0000'

  private def typeReasons(
      scan: FileSourceScanExec,
      parsing: CsvParsing,
      csv: CSVOptions): Seq[String] = {
    val schema = parsing.inLines(parsing.requiredSchema)
    val words = Seq(csv.nanValue, csv.positiveInf, csv.negativeInf)
    values(csv).reasons(scan, schema, "CSV", nests = false) ++
      Reasons.when(
        schema.exists(field => LineValues.isFloating(field.dataType)) &&
          words.exists(_.matches(NumberText)))("nanValue, positiveInf or negativeInf is a number")
  }

  private def values(csv: CSVOptions) = LineValues(
    csv.dateFormatInRead,
    csv.timestampFormatInRead,
    csv.timestampNTZFormatInRead,
    csv.zoneId.getId)

  override def options(
      scan: FileSourceScanExec,
      encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val parsing = CsvParsing.of(scan)
    val csv = parsing.options
    val data = parsing.inLines(parsing.dataSchema)
    val required = parsing.requiredSchema
    val columns = required.map { field =>
      val position = data.fieldNames.indexOf(field.name)
      Json.obj(
        "name" -> Json.text(field.name),
        "type" -> Json.dataType(field.dataType),
        "position" -> (if (position < 0) Json.Null else Json.number(position.toLong)))
    }
    val isParsed = required.nonEmpty || !CompiledSpark.prunesColumns(csv, required)
    val malformed = required.fieldNames.contains(csv.columnNameOfCorruptRecord)
    Seq(
      "anyLineEnd" -> Json.bool(csv.lineSeparatorInRead.isEmpty),
      "multiLine" -> Json.bool(csv.multiLine),
      "columns" -> Json.array(columns),
      "fields" -> Json.number(data.length.toLong),
      "header" -> Json.bool(csv.headerFlag),
      "separator" -> Json.text(csv.delimiter),
      "quote" -> character(csv.quote),
      "escape" -> character(csv.escape),
      "comment" -> (if (csv.isCommentSet) character(csv.comment) else Json.Null),
      "nullValue" -> Json.text(csv.nullValue),
      "emptyValue" -> Json.text(csv.emptyValueInRead),
      "trimsStart" -> Json.bool(csv.ignoreLeadingWhiteSpaceInRead),
      "trimsEnd" -> Json.bool(csv.ignoreTrailingWhiteSpaceInRead),
      "mostFields" -> Json.number(csv.maxColumns.toLong),
      "mostCharacters" -> Json.number(csv.maxCharsPerColumn.toLong),
      "isParsed" -> Json.bool(isParsed),
      "everyLineIsARow" -> Json.bool(
        (csv.parseMode == PermissiveMode && !malformed) || !isParsed)) ++ values(csv).options(
      required,
      encoder)
  }

  private def character(value: Char): JsonNode =
    if (value == '\u0000') Json.Null else Json.text(value.toString)
}
