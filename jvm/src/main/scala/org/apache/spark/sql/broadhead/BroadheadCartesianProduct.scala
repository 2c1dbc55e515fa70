package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.BuildSide
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.CartesianProductExec

/** A join whose tasks are the pairs of its sides' partitions. */
private[broadhead] trait PairsOfPartitions extends BroadheadJoin {
  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    TaskLayout.pairs(below.head, below.last)
}

/** Spark's `CartesianProductExec` in the engine. */
case class BroadheadCartesianProduct(
    left: SparkPlan,
    right: SparkPlan,
    buildSide: BuildSide,
    condition: Option[Expression])
    extends PairsOfPartitions {

  override def operatorName: String = "NestedLoopJoin"

  override def joinType: JoinType = Inner

  override def leftKeys: Seq[Expression] = Nil

  override def rightKeys: Seq[Expression] = Nil

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    CartesianProductExec(left, right, condition)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadCartesianProduct =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object CartesianProductCase extends OperatorCase[CartesianProductExec] {
  override def name: String = "CartesianProduct"

  override def reasons(join: CartesianProductExec, support: ExpressionSupport): Seq[String] =
    JoinSupport.reasons(join, support)

  override def convert(join: CartesianProductExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadCartesianProduct(
      children.head,
      children.last,
      JoinSupport.smallerSide(join.left, join.right),
      join.condition)
}
