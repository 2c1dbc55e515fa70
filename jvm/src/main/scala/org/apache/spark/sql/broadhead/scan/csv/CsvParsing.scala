package org.apache.spark.sql.broadhead.scan.csv

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.catalyst.csv.{CSVExprUtils, CSVOptions, UnivocityParser}
import org.apache.spark.sql.catalyst.util.FailureSafeParser
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.types.StructType

/**
 * All that Spark's parser of CSV lines is made of, like in `CSVFileFormat.buildReader`.
 *
 * The filters of the scan are no part of it: Spark's operator above the scan has them as well.
 */
private[broadhead] case class CsvParsing(
    dataSchema: StructType,
    requiredSchema: StructType,
    parameters: Map[String, String],
    columnPruning: Boolean,
    timeZone: String,
    corruptRecord: String)
    extends LineParsing {

  def options: CSVOptions = new CSVOptions(parameters, columnPruning, timeZone, corruptRecord)

  /** Columns whose values are in the lines. */
  def inLines(schema: StructType): StructType = {
    val name = options.columnNameOfCorruptRecord
    StructType(schema.filterNot(_.name == name))
  }

  override def parser(): Array[Byte] => Iterator[InternalRow] = {
    val (found, known) = (options, inLines(requiredSchema))
    val parser = new UnivocityParser(inLines(dataSchema), known, found)
    val safe = new FailureSafeParser[String](
      parser.parse(_),
      found.parseMode,
      requiredSchema,
      found.columnNameOfCorruptRecord)
    line => {
      val text = Iterator(new String(line, UTF_8))
      val kept =
        if (found.multiLine) text else CSVExprUtils.filterCommentAndEmpty(text, found)
      kept.flatMap(safe.parse)
    }
  }
}

private[broadhead] object CsvParsing {

  /** The parsing of a scan of CSV files. */
  def of(scan: FileSourceScanExec): CsvParsing = CsvParsing(
    scan.relation.dataSchema,
    scan.requiredSchema,
    scan.relation.options,
    scan.conf.csvColumnPruning,
    scan.conf.sessionLocalTimeZone,
    scan.conf.columnNameOfCorruptRecord)
}
