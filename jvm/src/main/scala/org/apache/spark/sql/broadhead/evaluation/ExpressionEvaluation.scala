package org.apache.spark.sql.broadhead.evaluation

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * An expression that Spark's own code evaluates for a fragment, row by row.
 *
 * @param expression over the rows of the inputs
 */
private[broadhead] case class ExpressionEvaluation(
    expression: Expression,
    override val inputs: Seq[Expression])
    extends SparkEvaluation {

  override def key: Any = expression

  override def inputSchema: StructType = SparkEvaluation.columns(inputs)

  override def outputSchema: StructType = SparkEvaluation.columns(Seq(expression))

  override def start(): RowComputation = {
    val projection = UnsafeProjection.create(Seq(SparkEvaluation.copyOf(expression)))
    (rows: Iterator[InternalRow], _: Int) => rows.map(projection)
  }
}

private[broadhead] object ExpressionEvaluation {

  /** The evaluation of an expression over attributes or over the columns of a bound row. */
  def of(expression: Expression): ExpressionEvaluation = {
    val columns = new InputColumns()
    val bound = columns.bound(expression)
    ExpressionEvaluation(bound, columns.all)
  }

  /**
   * Whether Spark can evaluate an expression apart from its operator, with the same result for
   * the same values.
   *
   * @param isPassed whether columns of a type can be passed to and from the engine
   */
  def isPossible(expression: Expression, isPassed: DataType => Boolean): Boolean =
    SparkEvaluation.isApart(expression) && !expression.foldable && {
      val evaluation = of(expression)
      evaluation.inputs.nonEmpty &&
      (evaluation.inputs :+ expression).forall(value => isPassed(value.dataType))
    }
}
