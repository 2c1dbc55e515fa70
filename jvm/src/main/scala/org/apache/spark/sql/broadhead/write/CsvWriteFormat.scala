package org.apache.spark.sql.broadhead.write

import java.io.StringWriter

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityGenerator}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/** CSV, with the quotes and escapes of Spark's own writer. */
private[broadhead] object CsvWriteFormat extends TextsWriteFormat("csv", classOf[CSVFileFormat]) {
  private val NewLine = "\n"
  private val FirstBeyondAscii = 0x80

  private def csv(options: WriteOptions): CSVOptions =
    new CSVOptions(
      options.parameters,
      options.conf.csvColumnPruning,
      options.conf.sessionLocalTimeZone)

  protected override def formats(options: WriteOptions): ValueFormats = {
    val csv = this.csv(options)
    ValueFormats(
      csv.dateFormatInWrite,
      csv.timestampFormatInWrite,
      csv.timestampNTZFormatInWrite,
      csv.zoneId,
      csv.locale)
  }

  override def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] = {
    val asked = WriteOptions.of(write)
    val options = csv(asked)
    val quotedNulls = SQLConf.LEGACY_NULL_VALUE_WRITTEN_AS_QUOTED_EMPTY_STRING_CSV
    characterReasons(options) ++ ValueTexts.encodingReasons(options.charset) ++
      Reasons.when(!lineSeparator(options).sameElements(NewLine))(
        "lineSep is supported only for a newline") ++
      Reasons.when(
        options.ignoreTrailingWhiteSpaceFlagInWrite &&
          !options.ignoreLeadingWhiteSpaceFlagInWrite)(
        "ignoreTrailingWhiteSpace without ignoreLeadingWhiteSpace is not supported") ++
      Reasons.when(write.conf.getConf(quotedNulls))(s"${quotedNulls.key} is not supported") ++
      ValueTexts.reasons(WriteFormat.dataColumns(write), formats(asked), write.conf, support)
  }

  private def lineSeparator(options: CSVOptions): Array[Char] =
    options.asWriterSettings.getFormat.getLineSeparator

  private def characterReasons(options: CSVOptions): Seq[String] = {
    val format = options.asWriterSettings.getFormat
    val (quote, escape) = (format.getQuote, format.getQuoteEscape)
    val special = Seq(quote, escape, format.getCharToEscapeQuoteEscaping, format.getComment)
    val separator = options.delimiter
    Reasons.when(separator.length != 1 || !isPlain(separator.head))(
      "sep is supported only for one ASCII character") ++
      Reasons.when(!special.forall(isPlain))(
        "quote, escape, charToEscapeQuoteEscaping and comment are supported only for ASCII") ++
      Reasons.when(separator.exists(character => character == quote || character == escape))(
        "sep is also the quote or the escape") ++
      Reasons.when(quote != escape && format.getCharToEscapeQuoteEscaping == quote)(
        "charToEscapeQuoteEscaping is also the quote")
  }

  private def isPlain(character: Char): Boolean =
    character < FirstBeyondAscii && character != '\n' && character != '\r'

  override def settings(
      job: WriteJobDescription,
      options: WriteOptions): Seq[(String, JsonNode)] = {
    val csv = this.csv(options)
    val format = csv.asWriterSettings.getFormat
    Seq(
      "header" -> Json.text(header(job.dataColumns, csv)),
      "strings" -> Json.array(
        job.dataColumns.map(column => Json.bool(column.dataType.isInstanceOf[StringType]))),
      "separator" -> Json.text(csv.delimiter),
      "quote" -> Json.text(format.getQuote.toString),
      "escape" -> Json.text(format.getQuoteEscape.toString),
      "escapeOfEscape" -> Json.text(format.getCharToEscapeQuoteEscaping.toString),
      "comment" -> Json.text(format.getComment.toString),
      "nullValue" -> Json.text(csv.nullValue),
      "emptyValue" -> Json.text(csv.emptyValueInWrite),
      "quoteAll" -> Json.bool(csv.quoteAll),
      "escapeQuotes" -> Json.bool(csv.escapeQuotes),
      "trimsStart" -> Json.bool(csv.ignoreLeadingWhiteSpaceFlagInWrite),
      "trimsEnd" -> Json.bool(csv.ignoreTrailingWhiteSpaceFlagInWrite))
  }

  /** The first line of each file, by Spark's own writer. */
  private def header(columns: Seq[Attribute], csv: CSVOptions): String = {
    val text = new StringWriter()
    if (csv.headerFlag) {
      val generator =
        new UnivocityGenerator(DataTypeUtils.fromAttributes(columns), text, csv)
      generator.writeHeaders()
      generator.close()
    }
    text.toString
  }
}
