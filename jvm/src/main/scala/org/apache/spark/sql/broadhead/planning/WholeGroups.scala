package org.apache.spark.sql.broadhead.planning

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, ExprId, Literal, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete, Final, Partial}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{ProjectExec, SortExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.{BaseAggregateExec, ObjectHashAggregateExec, SortAggregateExec}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/**
 * Aggregations whose functions read all rows of a group in one phase.
 *
 * Spark computes such functions (a list, a median) in two phases, whose buffers are objects that
 * it serializes, though the first phase hardly reduces the rows. The engine does not know these
 * objects. So the rows themselves are shuffled by the keys, and one phase follows: a plan that
 * Spark's own operators can run as well, which a replay requires.
 */
private[broadhead] object WholeGroups {

  /** On an aggregate of one phase that replaces two. */
  private val Merged = TreeNodeTag[Unit]("broadhead.mergedPhases")

  /**
   * The plan with one phase instead of two.
   *
   * @param kept results of aggregates that stay in Spark's phases
   */
  def merge(plan: SparkPlan, support: ExpressionSupport, kept: Set[ExprId]): SparkPlan =
    plan.transformUp {
      case last: BaseAggregateExec
          if !FragmentRewrite.isPlanned(last) && !results(last).exists(kept) &&
            last.aggregateExpressions.exists(a =>
              support.readsWholeGroups(a.aggregateFunction)) &&
            !last.aggregateExpressions.exists(support.readsWholeTasks) =>
        merged(last, support).getOrElse(last)
    }

  /** Results of aggregates of one phase that would run in Spark. */
  def inSpark(plan: SparkPlan): Seq[ExprId] = plan.collect {
    case aggregate @ (_: ObjectHashAggregateExec | _: SortAggregateExec)
        if !FragmentRewrite.isPlanned(aggregate) && aggregate.getTagValue(Merged).isDefined =>
      results(aggregate.asInstanceOf[BaseAggregateExec])
  }.flatten

  private def results(aggregate: BaseAggregateExec): Seq[ExprId] =
    aggregate.aggregateExpressions.map(_.resultId)

  private def merged(last: BaseAggregateExec, support: ExpressionSupport): Option[SparkPlan] =
    inputOf(last.child).filter(phase => follows(last, phase.aggregate)).flatMap { phase =>
      val rows = new RowsOfPhase(phase.aggregate)
      val apart = last.resultExpressions.exists(support.reasons(_).nonEmpty)
      val plain = last.groupingExpressions.map(_.toAttribute) ++ last.aggregateAttributes
      val results = if (apart) plain else last.resultExpressions
      whole(last, rows.aggregates(last), results, phase.above(rows.project)).map { aggregate =>
        aggregate.copyTagsFrom(last)
        aggregate.setTagValue(Merged, ())
        if (apart) projected(last, aggregate) else aggregate
      }
    }

  private def whole(
      last: BaseAggregateExec,
      aggregates: Seq[AggregateExpression],
      results: Seq[NamedExpression],
      input: SparkPlan): Option[BaseAggregateExec] = last match {
    case hash: ObjectHashAggregateExec =>
      Some(
        hash.copy(
          aggregateExpressions = aggregates,
          initialInputBufferOffset = 0,
          resultExpressions = results,
          child = input))
    case sort: SortAggregateExec =>
      Some(
        sort.copy(
          aggregateExpressions = aggregates,
          initialInputBufferOffset = 0,
          resultExpressions = results,
          child = input))
    case _ => None
  }

  /** What the engine cannot compute of the results does not keep the aggregate with Spark. */
  private def projected(last: BaseAggregateExec, aggregate: SparkPlan): SparkPlan = {
    val project = ProjectExec(last.resultExpressions, aggregate)
    project.copyTagsFrom(last)
    project
  }

  private def follows(last: BaseAggregateExec, first: BaseAggregateExec): Boolean =
    !last.isStreaming && last.aggregateExpressions.forall(_.mode == Final) &&
      first.aggregateExpressions.forall(_.mode == Partial) &&
      last.aggregateExpressions.map(_.aggregateFunction.getClass) ==
      first.aggregateExpressions.map(_.aggregateFunction.getClass)

  /**
   * The first phase below a last one.
   *
   * @param above the operators between the two, over another input
   */
  private case class FirstPhase(aggregate: BaseAggregateExec, above: SparkPlan => SparkPlan)

  private def inputOf(plan: SparkPlan): Option[FirstPhase] = plan match {
    case aggregate: BaseAggregateExec => Some(FirstPhase(aggregate, identity))
    case between @ (_: ShuffleExchangeExec | _: SortExec) =>
      inputOf(between.children.head).map { phase =>
        phase.copy(above = input => between.withNewChildren(Seq(phase.above(input))))
      }
    case _ => None
  }
}

/** The rows that a first phase reads, as the input of an aggregate of one phase. */
private class RowsOfPhase(first: BaseAggregateExec) {
  private val columns = mutable.LinkedHashMap.empty[Expression, NamedExpression]
  private val functions = first.aggregateExpressions.map(withColumns)

  /** The grouping keys and the inputs of the functions. */
  def project: ProjectExec = {
    val keys = first.groupingExpressions
    val ids = keys.map(_.exprId).toSet
    val project =
      ProjectExec(keys ++ columns.values.filterNot(c => ids(c.exprId)), inputWithoutSort)
    first.logicalLink.foreach(project.setLogicalLink)
    project
  }

  /** The functions of the last phase, over these rows. */
  def aggregates(last: BaseAggregateExec): Seq[AggregateExpression] =
    last.aggregateExpressions.zip(functions).map { case (whole, (function, filter)) =>
      whole.copy(aggregateFunction = function, mode = Complete, filter = filter)
    }

  /** A sort by the keys served the first phase alone. */
  private def inputWithoutSort: SparkPlan = (first, first.child) match {
    case (sorted: SortAggregateExec, SortExec(order, false, input, _))
        if sorted.requiredChildOrdering.head.map(_.canonicalized) == order.map(_.canonicalized) =>
      input
    case (_, input) => input
  }

  private def withColumns(
      aggregate: AggregateExpression): (AggregateFunction, Option[Expression]) = {
    val function = aggregate.aggregateFunction
    // Spark evaluates the inputs of the rows alone that the filter keeps.
    aggregate.filter.foreach { filter =>
      (function.references ++ filter.references).foreach(column)
    }
    val inputs = function.mapChildren { input =>
      if (aggregate.filter.isEmpty || input.foldable) column(input) else input
    }
    (inputs.asInstanceOf[AggregateFunction], aggregate.filter)
  }

  private def column(input: Expression): Expression = input match {
    case literal: Literal => literal
    case order: SortOrder => order.copy(child = column(order.child), sameOrderExpressions = Nil)
    case constant if constant.foldable =>
      // The engine asks for literals where Spark takes any constant, which it evaluates here too.
      Try(Literal.create(constant.eval(), constant.dataType)).getOrElse(constant)
    case attribute: Attribute =>
      columns.getOrElseUpdate(attribute.canonicalized, attribute).toAttribute
    case computed =>
      columns.getOrElseUpdate(computed.canonicalized, Alias(computed, "input")()).toAttribute
  }
}
