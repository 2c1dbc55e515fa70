package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.encoding.FragmentEncoder
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.optimizer.BuildSide
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.execution.joins.SortMergeJoinExec
import org.apache.spark.sql.execution.{SortExec, SparkPlan}

/**
 * Spark's `SortMergeJoinExec`, which the engine runs as a hash join over unsorted sides.
 *
 * @param buildSide either side works for every join type
 */
case class BroadheadSortMergeJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    buildSide: BuildSide,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan,
    isSkewJoin: Boolean)
    extends BroadheadShuffledJoin {

  @transient override lazy val original: SparkPlan = joinOf(
    sorted(FragmentEncoder.originalOf(left), leftKeys),
    sorted(FragmentEncoder.originalOf(right), rightKeys))

  private def sorted(side: SparkPlan, keys: Seq[Expression]): SparkPlan =
    SortExec(keys.map(SortOrder(_, Ascending)), global = false, side)

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    SortMergeJoinExec(leftKeys, rightKeys, joinType, condition, left, right, isSkewJoin)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadSortMergeJoin =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object SortMergeJoinCase extends JoinCase[SortMergeJoinExec] {
  override def name: String = "SortMergeJoin"

  override def dropsRequiredOrder: Boolean = true

  override def convert(join: SortMergeJoinExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadSortMergeJoin(
      join.leftKeys,
      join.rightKeys,
      join.joinType,
      JoinSupport.smallerSide(join.left, join.right),
      join.condition,
      children.head,
      children.last,
      join.isSkewJoin)
}
