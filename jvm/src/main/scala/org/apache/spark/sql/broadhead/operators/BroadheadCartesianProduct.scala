package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.fragment.TaskLayout
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.BuildSide
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.execution.joins.CartesianProductExec
import org.apache.spark.sql.execution.SparkPlan

/** Spark's `CartesianProductExec` in the engine: its tasks are the pairs of the sides' partitions. */
private[broadhead] case class BroadheadCartesianProduct(
    left: SparkPlan,
    right: SparkPlan,
    buildSide: BuildSide,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin {

  override def joinType: JoinType = Inner

  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    TaskLayout.pairs(below.head, below.last)

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    CartesianProductExec(left, right, condition)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadCartesianProduct =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object CartesianProductCase extends JoinCase[CartesianProductExec] {
  override def name: String = "CartesianProduct"

  override def convert(join: CartesianProductExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadCartesianProduct(
      children.head,
      children.last,
      JoinSupport.smallerSide(join.left, join.right),
      join.condition)
}
