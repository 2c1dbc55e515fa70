package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.BuildSide
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.execution.joins.ShuffledHashJoinExec
import org.apache.spark.sql.execution.SparkPlan

/** Spark's `ShuffledHashJoinExec` in the engine. */
case class BroadheadShuffledHashJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    buildSide: BuildSide,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan,
    isSkewJoin: Boolean)
    extends BroadheadShuffledJoin {

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    ShuffledHashJoinExec(leftKeys, rightKeys, joinType, buildSide, condition, left, right,
      isSkewJoin)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadShuffledHashJoin =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object ShuffledHashJoinCase extends JoinCase[ShuffledHashJoinExec] {
  override def name: String = "ShuffledHashJoin"

  override def convert(join: ShuffledHashJoinExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadShuffledHashJoin(
      join.leftKeys,
      join.rightKeys,
      join.joinType,
      join.buildSide,
      join.condition,
      children.head,
      children.last,
      join.isSkewJoin)
}
