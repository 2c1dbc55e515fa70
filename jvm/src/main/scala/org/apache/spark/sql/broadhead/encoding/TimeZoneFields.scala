package org.apache.spark.sql.broadhead.encoding

import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf

/**
 * Fields of functions of times that their classes do not have: the time zones that arguments
 * name, and the policy of patterns.
 */
private[broadhead] object TimeZoneFields {

  /** The fields of the wire format that name a time zone, whose rules a fragment has. */
  val Names: Set[String] = Set("timeZoneId", Source, Target)
  private def Source = "sourceZoneId"
  private def Target = "targetZoneId"

  /** Adds such fields to those of the constructor. */
  def of(expression: Expression, own: ExpressionFields): ExpressionFields = expression match {
    case from: FromUTCTimestamp => own.and(zone("timeZoneId", from.right))
    case to: ToUTCTimestamp => own.and(zone("timeZoneId", to.right))
    case convert: ConvertTimezone =>
      own.and(zone(Source, convert.sourceTz)).and(zone(Target, convert.targetTz))
    case make: MakeTimestamp =>
      make.timezone.fold(own)(own.without("timeZoneId") and zone("timeZoneId", _))
    case _: DateFormatClass | _: FromUnixTime =>
      own.and(legacy(VersionedSpark.hasLegacyTimeParser(SQLConf.get)))
    case _: ToTimestamp => parsing(own, SQLConf.get)
    case _ => own
  }

  /**
   * By the policy EXCEPTION Spark raises an error for a text that does not fit, if its old parser
   * would read it: Spark decides there, as where each such text is an error.
   */
  private def parsing(own: ExpressionFields, conf: SQLConf): ExpressionFields = {
    val isLegacy = VersionedSpark.hasLegacyTimeParser(conf)
    val decided = isLegacy || VersionedSpark.hasCorrectedTimeParser(conf)
    val raising = ExpressionFields(Seq("failOnError" -> Json.bool(true)), Nil)
    (if (decided) own else own.without("failOnError").and(raising)).and(legacy(isLegacy))
  }

  /** Whether patterns have another meaning by the policy. */
  private def legacy(is: Boolean): ExpressionFields =
    ExpressionFields(Seq("legacy" -> Json.bool(is)), Nil)

  private def zone(name: String, argument: Expression): ExpressionFields = argument match {
    case Literal(id, _) if id != null && Try(DateTimeUtils.getZoneId(id.toString)).isSuccess =>
      val node: JsonNode = Json.text(id.toString)
      ExpressionFields(Seq(name -> node), Nil)
    case _ => ExpressionFields(Nil, Seq(name))
  }
}
