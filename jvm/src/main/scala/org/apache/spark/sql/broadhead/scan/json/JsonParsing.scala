package org.apache.spark.sql.broadhead.scan.json

import com.fasterxml.jackson.core.{JsonFactory, JsonParser}

import org.apache.hadoop.io.Text

import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.json.{CreateJacksonParser, JacksonParser, JSONOptions, JSONOptionsInRead}
import org.apache.spark.sql.catalyst.util.FailureSafeParser
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/**
 * All that Spark's parser of JSON lines is made of, like in `JsonFileFormat.buildReader`.
 *
 * @param filters those that Spark pushes into the parser, which reads no further in a line whose
 *   row they drop
 */
private[broadhead] case class JsonParsing(
    requiredSchema: StructType,
    parameters: Map[String, String],
    timeZone: String,
    corruptRecord: String,
    filters: Seq[Filter])
    extends LineParsing {

  def options: JSONOptions = new JSONOptionsInRead(parameters, timeZone, corruptRecord)

  /** Columns whose values are in the lines. */
  def inLines: StructType = {
    val name = options.columnNameOfCorruptRecord
    StructType(requiredSchema.filterNot(_.name == name))
  }

  override def parser(): Array[Byte] => Iterator[InternalRow] = {
    val found = options
    val parser = new JacksonParser(inLines, found, allowArrayAsStructs = true, filters)
    val safe = new FailureSafeParser[Text](
      parser.parse[Text](_, tokens(found), text => UTF8String.fromBytes(text.copyBytes())),
      found.parseMode,
      requiredSchema,
      found.columnNameOfCorruptRecord)
    line => safe.parse(new Text(line))
  }

  private def tokens(found: JSONOptions): (JsonFactory, Text) => JsonParser =
    found.encoding match {
      case Some(name) => CreateJacksonParser.text(name, _, _)
      case None => CreateJacksonParser.text(_, _)
    }
}

private[broadhead] object JsonParsing {

  /** The parsing of a scan of JSON files. */
  def of(scan: FileSourceScanExec, filters: Seq[Filter] = Nil): JsonParsing = JsonParsing(
    scan.requiredSchema,
    scan.relation.options,
    scan.conf.sessionLocalTimeZone,
    scan.conf.columnNameOfCorruptRecord,
    filters)

  /** The same with the filters, whose subqueries have run. */
  def whenRun(scan: FileSourceScanExec): JsonParsing =
    of(scan, VersionedSpark.withDefaults[Seq[Filter]](scan, "pushedDownFilters", Nil))
}
