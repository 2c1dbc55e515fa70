package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftSemi}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.joins.{BroadcastNestedLoopJoinExec, ShuffledHashJoinExec}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * The rows of a broadcast, with their places, that belong to some row of the task's partition.
 *
 * @param left the broadcast
 * @param right the rows of which each task has some
 */
private[broadhead] case class BroadheadMatchedBroadcastRows(
    left: BroadheadBroadcastRead,
    right: SparkPlan,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin {

  override def joinType: JoinType = LeftSemi

  override def buildSide: BuildSide = BuildLeft

  /** Spark's own semi join would ask all tasks, and Spark's inner join gives a row many times. */
  override lazy val original: SparkPlan = {
    val pairs = BroadcastNestedLoopJoinExec(
      left.original,
      FragmentEncoder.originalOf(right),
      buildSide,
      Inner,
      condition)
    HashAggregateExec(None, false, None, left.output, Nil, Nil, 0, left.output, pairs)
  }

  lazy val matchTime: SQLMetric =
    SQLMetrics.createNanoTimingMetric(sparkContext, "time to find matching rows")

  override lazy val engineMetrics: Map[String, SQLMetric] = Map("time" -> matchTime)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadMatchedBroadcastRows =
    copy(left = newLeft.asInstanceOf[BroadheadBroadcastRead], right = newRight)
}

/**
 * The rows of a broadcast, chosen or flagged by whether their places are among those of the rows
 * that match.
 *
 * @param left the broadcast
 * @param right the places, in any order and as often as may be
 */
private[broadhead] case class BroadheadBroadcastRowsByMatch(
    joinType: JoinType,
    place: Attribute,
    left: SparkPlan,
    right: SparkPlan)
    extends BroadheadHashJoin {

  override def buildSide: BuildSide = BuildLeft

  override def leftKeys: Seq[Expression] = Seq(place)

  override def rightKeys: Seq[Expression] = Seq(place)

  override def condition: Option[Expression] = None

  protected override def nullAware: Boolean = false

  /** Spark builds only the right side of such joins. */
  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    ShuffledHashJoinExec(leftKeys, rightKeys, joinType, BuildRight, condition, left, right)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBroadcastRowsByMatch = copy(left = newLeft, right = newRight)
}
