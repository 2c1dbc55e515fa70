package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.types._

/** Which windows the engine can compute. */
private[broadhead] object WindowSupport {

  /** Why the engine cannot tell partitions or peers apart. */
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
      Seq(s"a window's $clause of type ${key.dataType.simpleString} is not supported")
    } else {
      support.reasons(key)
    }

  /** Why the engine cannot compute a column of a window operator. */
  def functionReasons(column: NamedExpression, support: ExpressionSupport): Seq[String] =
    column match {
      case WindowFunctionEncoder.Windowed(window, frame) =>
        val function = window.windowFunction match {
          case aggregate: AggregateExpression if aggregate.isDistinct =>
            Seq("DISTINCT over a window is not supported")
          case aggregate: AggregateExpression => support.aggregateReasons(aggregate)
          case other => support.windowReasons(other)
        }
        function ++ frameReasons(frame, window.windowSpec.orderSpec)
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
