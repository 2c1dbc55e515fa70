package org.apache.spark.sql.broadhead.encoding

import scala.collection.mutable.ArrayBuffer

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** The support of windows. */
private[broadhead] object WindowSupport {

  /** Why the engine cannot compare the keys of partitions or peers. */
  def keyReasons(
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      support: ExpressionSupport): Seq[String] =
    partitionSpec.flatMap(keyReasons(_, "PARTITION BY", support)) ++
      orderSpec.flatMap(order => keyReasons(order.child, "ORDER BY", support))

  private def keyReasons(
      key: Expression,
      clause: String,
      support: ExpressionSupport): Seq[String] =
    if (TypeNames.holdsMap(key.dataType)) {
      Seq(s"$clause of type ${key.dataType.simpleString} is not supported")
    } else {
      support.reasons(key)
    }

  /** Why the engine cannot compute a column of a window operator. */
  def functionReasons(column: NamedExpression, support: ExpressionSupport): Seq[String] =
    column match {
      case WindowFunctionEncoder.Windowed(window, frame) =>
        val function = window.windowFunction match {
          case aggregate: AggregateExpression if aggregate.isDistinct =>
            Seq("DISTINCT in a window function is not supported")
          case aggregate: AggregateExpression if isWhole(frame, window.windowSpec) =>
            support.aggregateReasons(aggregate)
          case aggregate: AggregateExpression =>
            support.engineReasons(aggregate) ++
              support.movingFrameReasons(aggregate.aggregateFunction)
          case other => support.windowReasons(other)
        }
        function ++ frameReasons(frame, window.windowSpec.orderSpec)
      case other => Seq(s"window expression ${other.sql} is not supported")
    }

  /** Whether the frame of each row is its whole partition. */
  private def isWhole(frame: SpecifiedWindowFrame, spec: WindowSpecDefinition): Boolean = {
    val peersAreAll = frame.frameType == RangeFrame && spec.orderSpec.isEmpty
    val bounds = Seq(frame.lower -> UnboundedPreceding, frame.upper -> UnboundedFollowing)
    bounds.forall { case (bound, end) => peersAreAll || bound == end }
  }

  /** Why the engine cannot compute the frames of a window function. */
  def frameReasonsOf(column: NamedExpression): Seq[String] = column match {
    case WindowFunctionEncoder.Windowed(window, frame) =>
      frameReasons(frame, window.windowSpec.orderSpec)
    case other => Seq(s"window expression ${other.sql} is not supported")
  }

  private def frameReasons(frame: SpecifiedWindowFrame, orderSpec: Seq[SortOrder]): Seq[String] =
    Seq(frame.lower, frame.upper).flatMap {
      case UnboundedPreceding | UnboundedFollowing | CurrentRow => Nil
      case bound if !bound.foldable => Seq(s"frame bound ${bound.sql} is not a literal")
      case bound if frame.frameType == RowFrame =>
        if (bound.dataType == IntegerType) Nil
        else Seq(s"frame bound ${bound.sql} is not supported")
      case bound =>
        val fits = orderSpec.headOption.exists(o => isOffset(o.dataType, bound.dataType))
        if (fits) Nil else Seq(s"frame bound ${bound.sql} is not supported")
    }

  /** Whether Spark adds an offset of one type to order values of the other. */
  private def isOffset(order: DataType, offset: DataType): Boolean = (order, offset) match {
    case (DateType, IntegerType | _: YearMonthIntervalType | _: DayTimeIntervalType) => true
    case (
          TimestampType | TimestampNTZType,
          CalendarIntervalType | _: YearMonthIntervalType | _: DayTimeIntervalType) =>
      true
    case (_: NumericType | _: YearMonthIntervalType | _: DayTimeIntervalType, same) =>
      order == same
    case _ => false
  }
}

/**
 * The columns of a window operator in two steps.
 *
 * @param windows window expressions, each with a name
 * @param results the operator's columns, computed from these
 */
private[broadhead] case class WindowColumns(
    windows: Seq[NamedExpression],
    results: Seq[NamedExpression]) {

  /** The columns that are not plain window expressions; without any, one step is enough. */
  def computed: Seq[NamedExpression] = results.filterNot(_.isInstanceOf[Attribute])
}

private[broadhead] object WindowColumns {

  /**
   * Splits columns. Spark's optimizer puts functions around window expressions: a sum of
   * decimals, for example, is a decimal made of the sum of their digits.
   */
  def of(columns: Seq[NamedExpression]): WindowColumns = {
    val windows = ArrayBuffer.empty[NamedExpression]
    def named(window: NamedExpression): Attribute = {
      windows += window
      window.toAttribute
    }
    val results = columns.map {
      case column @ Alias(_: WindowExpression, _) => named(column)
      case column =>
        val computed = column.transform { case window: WindowExpression =>
          named(Alias(window, s"${column.name} over")())
        }
        computed.asInstanceOf[NamedExpression]
    }
    WindowColumns(windows.toSeq, results)
  }
}

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
        case other => functionFields(other) ++ typeFields(other)
      }
      Json.obj((own :+ ("frame" -> encodeFrame(frame))): _*)
    case other =>
      throw new IllegalStateException(s"${other.sql} is not a window function with a frame")
  }

  /** The frame of a window expression with a name. */
  def encodeFrameOf(column: NamedExpression): ObjectNode = column match {
    case WindowFunctionEncoder.Windowed(_, frame) => encodeFrame(frame)
    case other =>
      throw new IllegalStateException(s"${other.sql} is not a window function with a frame")
  }

  private def argumentsOf(function: Expression): Seq[Expression] = function match {
    case aggregate: AggregateFunction => ConstantArguments.of(aggregate)
    case other => other.children
  }

  private def functionFields(function: Expression): Seq[(String, JsonNode)] = Seq(
    "class" -> Json.text(function.getClass.getSimpleName),
    "fields" -> encoder.encodeFields(function),
    "children" -> Json.array(argumentsOf(function).map(encoder.encode(_, input))))

  private def typeFields(function: Expression): Seq[(String, JsonNode)] =
    Seq("type" -> Json.dataType(function.dataType), "nullable" -> Json.bool(function.nullable))

  private def aggregateFields(aggregate: AggregateExpression): Seq[(String, JsonNode)] = {
    val function = aggregate.aggregateFunction
    val buffers = function.aggBufferAttributes.map { buffer =>
      Json.obj(
        "type" -> Json.dataType(buffer.dataType),
        "nullable" -> Json.bool(buffer.nullable),
        "ordinal" -> Json.Null)
    }
    val own = encoder.encodeBySpark(aggregate, input).getOrElse {
      functionFields(function) :+
        ("filter" -> aggregate.filter.map(encoder.encode(_, input)).getOrElse(Json.Null))
    }
    own ++ typeFields(function) ++ Seq(
      "mode" -> Json.text(aggregate.mode.toString),
      "distinct" -> Json.bool(aggregate.isDistinct),
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
