package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Sort}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/**
 * Marks the plans below a sort: their rows are needed in order.
 *
 * Spark removes a sort if a join or an aggregation already returns the same order. If nothing
 * else is above, the plan then has no trace of the sort except the logical plan of its root.
 */
object OrderTagging extends SparkStrategy {
  private val Ordered = TreeNodeTag[Unit]("broadheadOrdered")

  /** No plans: other strategies plan the sort. */
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case sort: Sort => sort.child.foreach(_.setTagValue(Ordered, ()))
      case _ =>
    }
    Nil
  }

  /** Whether the query needs the rows of this part of it in some order. */
  def asksForOrder(plan: LogicalPlan): Boolean =
    plan.getTagValue(Ordered).isDefined || plan.exists(_.isInstanceOf[Sort])
}
