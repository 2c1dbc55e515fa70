package org.apache.spark.sql.broadhead.encoding

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * An expression that counts the rows for which it is evaluated, and has the value of another.
 *
 * @param condition only rows for which it is true are counted; None for all rows
 */
private[broadhead] case class RowCounter(
    value: Expression,
    condition: Option[Expression],
    metric: SQLMetric)

/** The counters of Delta Lake, which is not on the class path of a build. */
private[broadhead] object RowCounter {

  /** The class in the wire format. */
  val Class = "RowCounter"

  private val Package = "org.apache.spark.sql.delta.metric"
  private val OfAllRows = s"$Package.IncrementMetric"
  private val OfSomeRows = s"$Package.ConditionalIncrementMetric"

  def unapply(expression: Expression): Option[RowCounter] = expression.getClass.getName match {
    case OfAllRows => counter(expression, None)
    case OfSomeRows =>
      field(expression, "condition").flatMap(condition => counter(expression, Some(condition)))
    case _ => None
  }

  private def counter(from: Expression, condition: Option[Expression]): Option[RowCounter] =
    for (value <- field(from, "child"); metric <- member[SQLMetric](from, "metric"))
      yield RowCounter(value, condition, metric)

  private def field(of: Expression, name: String): Option[Expression] = member(of, name)

  private def member[T](of: Expression, name: String): Option[T] =
    Try(of.getClass.getMethod(name).invoke(of).asInstanceOf[T]).toOption
}
