package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.fragment.FragmentEncoder
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans.{InnerLike, JoinType}
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.execution.{CoalesceExec, SparkPlan}
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec

/**
 * Spark's `BroadcastNestedLoopJoinExec` in the engine, if the tasks are independent: no unmatched
 * rows of the broadcast are returned, or one task has all of the other side.
 */
case class BroadheadBroadcastNestedLoopJoin(
    left: SparkPlan,
    right: SparkPlan,
    buildSide: BuildSide,
    joinType: JoinType,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin {

  /** Spark's own operator runs a job for unmatched rows of the broadcast, which a task cannot do. */
  @transient override lazy val original: SparkPlan =
    if (JoinSupport.keepsBuildRows(joinType, buildSide)) {
      CoalesceExec(1, session.withActive(BroadcastJoinOperators.inOneTask(this).original))
    } else {
      joinOf(FragmentEncoder.originalOf(left), FragmentEncoder.originalOf(right))
    }

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBroadcastNestedLoopJoin =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object BroadcastNestedLoopJoinCase
    extends JoinCase[BroadcastNestedLoopJoinExec] {
  override def name: String = "BroadcastNestedLoopJoin"

  /** A join that gives all pairs, which Spark makes at no more cost than it reads them. */
  override def isLight(join: BroadcastNestedLoopJoinExec): Boolean =
    join.joinType.isInstanceOf[InnerLike] && join.condition.isEmpty &&
      join.children.forall(BroadheadBroadcastExchange.find(_).isEmpty)

  override def fixesTasks(join: BroadcastNestedLoopJoinExec): Boolean = tasksMustAgree(join)

  override def convert(join: BroadcastNestedLoopJoinExec, children: Seq[SparkPlan]): SparkPlan =
    if (tasksMustAgree(join)) {
      BroadheadBuildOuterJoin(
        children.head,
        children.last,
        join.buildSide,
        join.joinType,
        join.condition)
    } else {
      BroadheadBroadcastNestedLoopJoin(
        children.head,
        children.last,
        join.buildSide,
        join.joinType,
        join.condition)
    }

  /**
   * Whether unmatched rows of the broadcast are returned, and several tasks have the other side:
   * such a join has one task more than that side.
   */
  def tasksMustAgree(join: BroadcastNestedLoopJoinExec): Boolean = {
    val streamed = if (join.buildSide == BuildRight) join.left else join.right
    JoinSupport.keepsBuildRows(join.joinType, join.buildSide) &&
    streamed.outputPartitioning != SinglePartition
  }
}
