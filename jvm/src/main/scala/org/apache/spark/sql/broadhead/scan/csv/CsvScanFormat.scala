package org.apache.spark.sql.broadhead.scan.csv

import java.util.Locale

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.application.VersionedSpark
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.text.LineFiles
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.util.PermissiveMode
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** CSV: the engine reads plain lines, and Spark's own parser all others. */
private[broadhead] object CsvScanFormat extends ScanFormat {
  private val NumberText = "[-+.0-9eE]*"

  /** Formats whose usual texts are those of the default formats. */
  private val plainDates = Set("yyyy-MM-dd")

  private val plainMoments = Set("yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss")

  override def name: String = "csv"

  override def sparkClass: Class[_ <: FileFormat] = classOf[CSVFileFormat]

  override def counts: Seq[(String, String)] =
    Seq("linesParsed" -> "number of lines that Spark's parser read")

  override def reasons(scan: FileSourceScanExec): Seq[String] = {
    val parsing = CsvParsing.of(scan)
    val csv = parsing.options
    optionReasons(csv) ++ characterReasons(csv) ++ typeReasons(scan, parsing, csv) ++
      corruptRecordReasons(parsing, csv) ++
      Reasons.when(parsing.dataSchema.length > csv.maxColumns)(
        s"there are more columns than maxColumns = ${csv.maxColumns}") ++
      LineFiles.reasons(scan, csv.charset, csv.lineSeparatorInRead)
  }

  private def optionReasons(csv: CSVOptions): Seq[String] =
    Reasons.when(csv.multiLine)("multiLine = true is not supported") ++
      Reasons.when(csv.headerFlag && !csv.enforceSchema)(
        "enforceSchema = false is not supported") ++
      Reasons.when(csv.locale != Locale.US)(
        s"locale = ${csv.locale.toLanguageTag} is not supported")

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
    val types = schema.map(_.dataType)
    val conf = scan.conf
    val legacy = VersionedSpark.hasLegacyTimeParser(conf)
    val calendar = types.exists(isCalendar)
    schema.filterNot(field => isReadable(field.dataType)).map { field =>
      s"column ${field.name} is of type ${field.dataType.sql}, which is not read from CSV"
    } ++
      Reasons.when(calendar && legacy)(
        s"${SQLConf.LEGACY_TIME_PARSER_POLICY.key} = LEGACY is not supported") ++
      formatReasons("dateFormat", types.contains(DateType), csv.dateFormatInRead, plainDates) ++
      formatReasons(
        "timestampFormat",
        types.contains(TimestampType),
        csv.timestampFormatInRead,
        plainMoments) ++
      formatReasons(
        "timestampNTZFormat",
        types.contains(TimestampNTZType),
        csv.timestampNTZFormatInRead,
        plainMoments) ++
      Reasons.when(types.exists(isFloating) && wordsOfFloats(csv).exists(_.matches(NumberText)))(
        "nanValue, positiveInf or negativeInf is a number")
  }

  private def wordsOfFloats(csv: CSVOptions) = Seq(csv.nanValue, csv.positiveInf, csv.negativeInf)

  private def formatReasons(
      name: String,
      isRead: Boolean,
      format: Option[String],
      plain: Set[String]): Seq[String] =
    format
      .filter(pattern => isRead && !plain(pattern))
      .map(pattern => s"$name = $pattern is not supported")
      .toSeq

  private def isFloating(dataType: DataType): Boolean =
    dataType == FloatType || dataType == DoubleType

  private def isCalendar(dataType: DataType): Boolean =
    dataType == DateType || dataType == TimestampType || dataType == TimestampNTZType

  private def isReadable(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | BooleanType | StringType => true
    case _: DecimalType => true
    case other => isFloating(other) || isCalendar(other)
  }

  private def corruptRecordReasons(parsing: CsvParsing, csv: CSVOptions): Seq[String] = {
    val name = csv.columnNameOfCorruptRecord
    val found = parsing.dataSchema.find(_.name == name)
    Reasons.when(found.exists(field => field.dataType != StringType || !field.nullable))(
      s"the column $name of malformed lines is not a nullable string") ++
      Reasons.when(parsing.requiredSchema.fieldNames.sameElements(Array(name)))(
        s"only the column $name of malformed lines is read")
  }

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
    val isParsed = required.nonEmpty || !csv.isColumnPruningEnabled(required)
    val malformed = required.fieldNames.contains(csv.columnNameOfCorruptRecord)
    Seq(
      "anyLineEnd" -> Json.bool(csv.lineSeparatorInRead.isEmpty),
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
        (csv.parseMode == PermissiveMode && !malformed) || !isParsed),
      "dateFormat" -> optional(csv.dateFormatInRead),
      "timestampFormat" -> optional(csv.timestampFormatInRead),
      "timestampNtzFormat" -> optional(csv.timestampNTZFormatInRead),
      "timeZone" -> optional(
        Some(csv.zoneId.getId)
          .filter(_ => required.exists(_.dataType == TimestampType))
          .map(encoder.inTimeZone)))
  }

  private def character(value: Char): JsonNode =
    if (value == '\u0000') Json.Null else Json.text(value.toString)

  private def optional(value: Option[String]): JsonNode =
    value.map(Json.text).getOrElse(Json.Null)
}
