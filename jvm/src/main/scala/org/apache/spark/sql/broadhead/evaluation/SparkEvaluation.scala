package org.apache.spark.sql.broadhead.evaluation

import scala.collection.mutable
import scala.reflect.ClassTag

import org.apache.spark.SparkEnv
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.Utils

/** What Spark's own code computes for a fragment, in batches of rows. */
private[broadhead] trait SparkEvaluation extends Serializable {

  /** The columns that it reads, each once. */
  def inputs: Seq[Expression]

  /** Equal evaluations over other columns have the same key. */
  def key: Any

  /** The columns of a request. */
  def inputSchema: StructType

  /** The columns of a response. */
  def outputSchema: StructType

  /** The computation of one connection. */
  def start(): RowComputation
}

/**
 * A computation of one thread, with what it keeps between the batches.
 *
 * Spark's generated code and many functions keep rows and values, so each has a copy of its own.
 */
private[broadhead] trait RowComputation {

  /** The rows that a batch gives; all are read before the next batch. */
  def results(rows: Iterator[InternalRow], count: Int): Iterator[InternalRow]
}

private[broadhead] object SparkEvaluation {

  /** A copy, as Spark sends it to its tasks. */
  def copyOf[T: ClassTag](value: T): T =
    Utils.clone(value, SparkEnv.get.closureSerializer.newInstance())

  /** Columns of the types of some expressions. */
  def columns(expressions: Seq[Expression]): StructType =
    expressions.zipWithIndex.foldLeft(new StructType()) { case (schema, (column, number)) =>
      schema.add(s"_$number", column.dataType, column.nullable)
    }

  /** Whether Spark can evaluate an expression apart from its operator, wherever its rows are. */
  def isApart(expression: Expression): Boolean =
    !expression.exists(needsItsOperator) && expression.deterministic && expression.resolved &&
      readsOnlyOwnVariables(expression)

  private def needsItsOperator(expression: Expression): Boolean = expression match {
    case _: Attribute => false
    case _: Unevaluable | _: RuntimeReplaceable | _: AggregateFunction | _: WindowFunction => true
    case _: Generator | _: PlanExpression[_] => true
    // Its catalog cannot be sent to executors.
    case variable if CompiledSpark.isVariable(variable) => true
    case function => ConstantErrors.raises(function)
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

/**
 * Numbers the columns that expressions read.
 *
 * @param before the number of other columns before them in a row
 */
private class InputColumns(before: Int = 0) {
  private val found = mutable.LinkedHashMap.empty[Any, Expression]

  def all: Seq[Expression] = found.values.toList

  /** The expression over the columns of a row, which it reads as attributes or by ordinal. */
  def bound(expression: Expression): Expression = expression.transform {
    case input @ (_: Attribute | _: BoundReference) =>
      val key = input match {
        case attribute: Attribute => attribute.exprId
        case other => other
      }
      found.getOrElseUpdate(key, input)
      BoundReference(before + found.keys.toSeq.indexOf(key), input.dataType, input.nullable)
  }
}
