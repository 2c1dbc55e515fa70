package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec

/** Spark's `BroadcastNestedLoopJoinExec` in the engine. */
case class BroadheadBroadcastNestedLoopJoin(
    left: SparkPlan,
    right: SparkPlan,
    buildSide: BuildSide,
    joinType: JoinType,
    condition: Option[Expression])
    extends BroadheadJoin {

  override def operatorName: String = "NestedLoopJoin"

  override def leftKeys: Seq[Expression] = Nil

  override def rightKeys: Seq[Expression] = Nil

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    BroadcastNestedLoopJoinExec(left, right, buildSide, joinType, condition)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBroadcastNestedLoopJoin =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object BroadcastNestedLoopJoinCase
    extends OperatorCase[BroadcastNestedLoopJoinExec] {
  override def name: String = "BroadcastNestedLoopJoin"

  override def reasons(
      join: BroadcastNestedLoopJoinExec,
      support: ExpressionSupport): Seq[String] =
    JoinSupport.reasons(join, support) ++ unmatchedReasons(join)

  /** Which rows of a broadcast have no partner is known only when all tasks have ended. */
  private def unmatchedReasons(join: BroadcastNestedLoopJoinExec): Seq[String] = {
    val streamed = if (join.buildSide == BuildRight) join.left else join.right
    if (JoinSupport.keepsBuildRows(join.joinType, join.buildSide) &&
      streamed.outputPartitioning != SinglePartition) {
      Seq(s"a ${join.joinType.sql} join that keeps rows of the broadcast side is not supported")
    } else {
      Nil
    }
  }

  override def convert(join: BroadcastNestedLoopJoinExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadBroadcastNestedLoopJoin(
      children.head,
      children.last,
      join.buildSide,
      join.joinType,
      join.condition)
}
