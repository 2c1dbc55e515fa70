package org.apache.spark.sql.broadhead

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** Writes the functions of a window operator, with their frames, in the wire format. */
private[broadhead] class WindowFunctionEncoder(
    encoder: ExpressionEncoder,
    input: Seq[Attribute],
    orderSpec: Seq[SortOrder]) {

  /** A column of the operator: a window expression with a name. */
  def encode(column: NamedExpression): ObjectNode = column match {
    case WindowFunctionEncoder.Windowed(window, frame) =>
      val own = window.windowFunction match {
        case aggregate: AggregateExpression => aggregateFields(aggregate)
        case other => functionFields(other)
      }
      Json.obj((own :+ ("frame" -> encodeFrame(frame))): _*)
    case other =>
      throw new IllegalStateException(s"${other.sql} is no window function with a frame")
  }

  private def functionFields(function: Expression): Seq[(String, JsonNode)] = Seq(
    "class" -> Json.text(function.getClass.getSimpleName),
    "type" -> Json.dataType(function.dataType),
    "nullable" -> Json.bool(function.nullable),
    "fields" -> encoder.encodeFields(function),
    "children" -> Json.array(function.children.map(encoder.encode(_, input))))

  private def aggregateFields(aggregate: AggregateExpression): Seq[(String, JsonNode)] = {
    val function = aggregate.aggregateFunction
    val buffers = function.aggBufferAttributes.map { buffer =>
      Json.obj(
        "type" -> Json.dataType(buffer.dataType),
        "nullable" -> Json.bool(buffer.nullable),
        "ordinal" -> Json.Null)
    }
    functionFields(function) ++ Seq(
      "mode" -> Json.text(aggregate.mode.toString),
      "distinct" -> Json.bool(aggregate.isDistinct),
      "filter" -> aggregate.filter.map(encoder.encode(_, input)).getOrElse(Json.Null),
      "buffers" -> Json.array(buffers))
  }

  private def encodeFrame(frame: SpecifiedWindowFrame): ObjectNode = Json.obj(
    "type" -> Json.text(if (frame.frameType == RowFrame) "Rows" else "Range"),
    "lower" -> encodeBound(frame.lower),
    "upper" -> encodeBound(frame.upper))

  private def encodeBound(bound: Expression): JsonNode = bound match {
    case UnboundedPreceding | UnboundedFollowing => Json.text("unbounded")
    case CurrentRow => Json.text("current")
    case offset => encodeOffset(offset.eval(), offset.dataType)
  }

  private def encodeOffset(value: Any, dataType: DataType): JsonNode = (value, dataType) match {
    case _ if orderSpec.headOption.exists(_.dataType == dataType) => literal(value, dataType)
    case (months: Int, _: YearMonthIntervalType) => interval(months, 0L, 0L)
    case (microseconds: Long, _: DayTimeIntervalType) =>
      val day = WindowFunctionEncoder.MicrosecondsPerDay
      interval(0, microseconds / day, microseconds % day)
    case (calendar: CalendarInterval, _) =>
      interval(calendar.months, calendar.days.toLong, calendar.microseconds)
    case _ => literal(value, dataType)
  }

  private def literal(value: Any, dataType: DataType): JsonNode =
    encoder.encode(Literal(value, dataType), input)

  private def interval(months: Int, days: Long, microseconds: Long): ObjectNode = {
    val zone = orderSpec.headOption.filter(_.dataType == TimestampType).map { _ =>
      encoder.inTimeZone(SQLConf.get.sessionLocalTimeZone)
    }
    Json.obj(
      "class" -> Json.text("Interval"),
      "months" -> Json.number(months.toLong),
      "days" -> Json.number(days),
      "microseconds" -> Json.number(microseconds),
      "timeZoneId" -> zone.map(Json.text).getOrElse(Json.Null))
  }
}

private[broadhead] object WindowFunctionEncoder {
  private val MicrosecondsPerDay = 86400000000L

  /** A named window function, with its frame. */
  object Windowed {
    def unapply(column: NamedExpression): Option[(WindowExpression, SpecifiedWindowFrame)] =
      column match {
        case Alias(window: WindowExpression, _) =>
          window.windowSpec.frameSpecification match {
            case frame: SpecifiedWindowFrame => Some((window, frame))
            case _ => None
          }
        case _ => None
      }
  }
}
