package org.apache.spark.sql.broadhead.write

import java.nio.charset.{Charset, StandardCharsets}
import java.time.ZoneId
import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, Reasons}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateFormatter
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** How Spark's writers of lines format the values of the calendar. */
private[broadhead] case class ValueFormats(
    date: String,
    timestamp: String,
    timestampNtz: String,
    zone: ZoneId,
    locale: Locale)

/** The texts of values in lines, as expressions of Spark. */
private[broadhead] object ValueTexts {

  /** What the writer takes of a column: its values, or their text. */
  def of(column: Attribute, formats: ValueFormats): Expression =
    if (isWrittenByWorker(column.dataType)) column else text(column, formats)

  /** Whether the writer itself makes the text of each value: `value_texts.py`. */
  private def isWrittenByWorker(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType => true
    case decimal: DecimalType =>
      decimal.precision <= Decimal.MAX_LONG_DIGITS && PlainScales.contains(decimal.scale)
    case _ => false
  }

  /** With more digits after the point, the text of a small decimal has an exponent. */
  private val PlainScales = 0 to 6

  /** The text of a column's values; of a string, the string. */
  private def text(column: Attribute, formats: ValueFormats): Expression = column.dataType match {
    case _: StringType => column
    case TimestampType => formatted(column, formats.timestamp, formats.zone.getId)
    case TimestampNTZType =>
      formatted(Cast(column, TimestampType, Some(Utc)), formats.timestampNtz, Utc)
    // Numbers are written by their own toString, like those of a cast without ANSI.
    case _ => Cast(column, StringType, Some(formats.zone.getId), EvalMode.LEGACY)
  }

  private val Utc = "UTC"

  private def formatted(value: Expression, pattern: String, zone: String) =
    DateFormatClass(value, Literal(pattern), Some(zone))

  /** Why the engine cannot make the texts. */
  def reasons(
      columns: Seq[Attribute],
      formats: ValueFormats,
      conf: SQLConf,
      support: ExpressionSupport): Seq[String] = {
    val calendar = columns.exists(column => isCalendar(column.dataType))
    val dates = columns.exists(_.dataType == DateType)
    val written = columns.filter(column => isWritten(column.dataType))
    columns.diff(written).map { column =>
      s"columns of the type ${column.dataType.sql} (${column.name}) are not written as text"
    } ++
      written.map(text(_, formats)).flatMap { text =>
        // For other patterns these are not the expressions of Spark's writers.
        support.reasons(text) ++ support.partsBySpark(text)
      } ++
      Reasons.when(calendar && VersionedSpark.hasLegacyTimeParser(conf))(
        s"${SQLConf.LEGACY_TIME_PARSER_POLICY.key} = LEGACY is not supported") ++
      Reasons.when(calendar && formats.locale != Locale.US)(
        s"locale = ${formats.locale.toLanguageTag} is not supported") ++
      Reasons.when(dates && formats.date != DateFormatter.defaultPattern)(
        s"dateFormat = ${formats.date} is not supported")
  }

  private def isCalendar(dataType: DataType): Boolean =
    dataType == DateType || dataType == TimestampType || dataType == TimestampNTZType

  private def isWritten(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType =>
      true
    case StringType | _: DecimalType => true
    case other => isCalendar(other)
  }

  /** Why files in an encoding are not written. */
  def encodingReasons(name: String): Seq[String] =
    Reasons.when(!Try(Charset.forName(name)).toOption.contains(StandardCharsets.UTF_8))(
      s"encoding = $name is not supported")
}
