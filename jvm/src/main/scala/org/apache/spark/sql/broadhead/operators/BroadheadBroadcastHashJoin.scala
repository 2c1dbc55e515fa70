package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.application.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildSide}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastDistribution, BroadcastMode}
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.execution.SparkPlan

/** Spark's `BroadcastHashJoinExec` in the engine. */
case class BroadheadBroadcastHashJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    buildSide: BuildSide,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan,
    isNullAwareAntiJoin: Boolean)
    extends BroadheadHashJoin {

  protected override def nullAware: Boolean = isNullAwareAntiJoin

  /** What makes the relation of Spark's join from the rows of the build side. */
  def relationMode: BroadcastMode =
    requiredChildDistribution(if (buildSide == BuildLeft) 0 else 1) match {
      case BroadcastDistribution(mode) => mode
      case other => throw new IllegalStateException(s"$other is not that of a broadcast")
    }

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    VersionedSpark.make[BroadcastHashJoinExec](BroadcastHashJoinExec, leftKeys, rightKeys,
      joinType, buildSide, condition, left, right, isNullAwareAntiJoin)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBroadcastHashJoin =
    copy(left = newLeft, right = newRight)
}

private[broadhead] object BroadcastHashJoinCase extends JoinCase[BroadcastHashJoinExec] {
  override def name: String = "BroadcastHashJoin"

  override def convert(join: BroadcastHashJoinExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadBroadcastHashJoin(
      join.leftKeys,
      join.rightKeys,
      join.joinType,
      join.buildSide,
      join.condition,
      children.head,
      children.last,
      join.isNullAwareAntiJoin)
}
