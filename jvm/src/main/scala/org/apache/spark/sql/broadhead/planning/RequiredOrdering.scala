package org.apache.spark.sql.broadhead.planning

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, SortOrders}
import org.apache.spark.sql.broadhead.fragment.FragmentNode
import org.apache.spark.sql.broadhead.operators.{BroadheadSort, SortCase}
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.execution.{SortExec, SparkPlan}

/**
 * Adds sorts where an operator needs an order that is not kept.
 *
 * Broadhead's operators need not keep the order of Spark's: a hash join replaces a sort-merge
 * join, a hash aggregate a sort aggregate.
 */
private[broadhead] class RequiredOrdering(support: ExpressionSupport, settings: Settings) {

  /** The operator over children with the order it requires. */
  def ensure(plan: SparkPlan): SparkPlan = {
    val ordered = plan.children.zip(plan.requiredChildOrdering).map { case (child, required) =>
      if (satisfies(child, required)) child else sort(child, required)
    }
    if (same(ordered, plan.children)) plan else plan.withNewChildren(ordered)
  }

  /** Whether a plan returns its rows in an order. */
  def satisfies(plan: SparkPlan, required: Seq[SortOrder]): Boolean =
    SortOrder.orderingSatisfies(plan.outputOrdering, required)

  /** The plan's rows in an order within each partition. */
  def sort(plan: SparkPlan, order: Seq[SortOrder]): SparkPlan = {
    val sorted =
      if (plan.isInstanceOf[FragmentNode] && inEngine(plan, order)) {
        BroadheadSort(order, global = false, None, plan)
      } else {
        SortExec(order, global = false, plan)
      }
    plan.logicalLink.foreach(sorted.setLogicalLink)
    sorted
  }

  private def inEngine(plan: SparkPlan, order: Seq[SortOrder]): Boolean =
    settings.operatorEnabled(SortCase.name) &&
      plan.output.flatMap(support.columnReasons).isEmpty &&
      order.flatMap(SortOrders.reasons(_, support)).isEmpty

  private def same(left: Seq[SparkPlan], right: Seq[SparkPlan]): Boolean =
    left.zip(right).forall { case (one, other) => one eq other }
}
