package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Sort}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/**
 * Notes on what is below a sort that its rows are asked for in order.
 *
 * Spark removes sorts of what a join or an aggregation gives in the same order. The plan then has
 * no trace of them where nothing else is above, but for the logical plan that its root stands for.
 */
object OrderTagging extends SparkStrategy {
  private val Ordered = TreeNodeTag[Unit]("broadheadOrdered")

  /** No plans: others plan the sort. */
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case sort: Sort => sort.child.foreach(_.setTagValue(Ordered, ()))
      case _ =>
    }
    Nil
  }

  /** Whether the query asks for the rows of this part of it in some order. */
  def asksForOrder(plan: LogicalPlan): Boolean =
    plan.getTagValue(Ordered).isDefined || plan.exists(_.isInstanceOf[Sort])
}
