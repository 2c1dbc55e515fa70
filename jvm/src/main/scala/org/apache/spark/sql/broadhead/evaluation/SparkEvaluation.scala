package org.apache.spark.sql.broadhead.evaluation

import scala.collection.mutable

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.util.Utils

/**
 * An expression that Spark's own code evaluates for a fragment, row by row.
 *
 * @param expression over the rows of the inputs
 * @param inputs the columns that it reads, each once
 */
private[broadhead] case class SparkEvaluation(expression: Expression, inputs: Seq[Expression]) {

  /** The columns of a request. */
  def inputSchema: StructType = columns(inputs)

  /** The only column of a response. */
  def outputSchema: StructType = columns(Seq(expression))

  /**
   * Spark's generated code, which belongs to one thread: it keeps a row, and expressions may keep
   * values, such as those of the variables of `transform`. So it has a copy of the expression.
   */
  def projection(): UnsafeProjection = {
    val serializer = SparkEnv.get.closureSerializer.newInstance()
    UnsafeProjection.create(Seq(Utils.clone(expression, serializer)))
  }

  private def columns(expressions: Seq[Expression]): StructType =
    expressions.zipWithIndex.foldLeft(new StructType()) { case (schema, (column, number)) =>
      schema.add(s"_$number", column.dataType, column.nullable)
    }
}

private[broadhead] object SparkEvaluation {

  /** The evaluation of an expression over attributes or over the columns of a bound row. */
  def of(expression: Expression): SparkEvaluation = {
    val inputs = mutable.LinkedHashMap.empty[Any, Expression]
    val bound = expression.transform { case input @ (_: Attribute | _: BoundReference) =>
      val key = input match {
        case attribute: Attribute => attribute.exprId
        case other => other
      }
      inputs.getOrElseUpdate(key, input)
      BoundReference(inputs.keys.toSeq.indexOf(key), input.dataType, input.nullable)
    }
    SparkEvaluation(bound, inputs.values.toSeq)
  }

  /**
   * Whether Spark can evaluate an expression apart from its operator, with the same result for
   * the same values.
   *
   * @param isPassed whether columns of a type can be passed to and from the engine
   */
  def isPossible(expression: Expression, isPassed: DataType => Boolean): Boolean =
    !expression.exists(needsItsOperator) && expression.deterministic && expression.resolved &&
      !expression.foldable && readsOnlyOwnVariables(expression) && {
        val evaluation = of(expression)
        evaluation.inputs.nonEmpty &&
        (evaluation.inputs :+ expression).forall(value => isPassed(value.dataType))
      }

  private def needsItsOperator(expression: Expression): Boolean = expression match {
    case _: Attribute => false
    case _: Unevaluable | _: RuntimeReplaceable | _: AggregateFunction | _: WindowFunction => true
    case _: Generator | _: PlanExpression[_] => true
    // Its catalog cannot be sent to executors.
    case _: VariableReference => true
    case _ => false
  }

  /** Whether the variables of functions such as `transform` are those of the expression's own. */
  private def readsOnlyOwnVariables(expression: Expression): Boolean = {
    val own = expression.collect { case lambda: LambdaFunction => lambda.arguments }.flatten
    val ids = own.map(_.exprId).toSet
    expression
      .collect { case variable: NamedLambdaVariable => variable.exprId }
      .forall(ids.contains)
  }
}
