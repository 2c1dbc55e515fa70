package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildSide}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning, UnknownPartitioning, UnspecifiedDistribution}
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec
import org.apache.spark.sql.execution.joins.SortMergeJoinExec
import org.apache.spark.sql.execution.SparkPlan

/**
 * A join with keys that broadcasts the side whose unmatched rows are returned: Spark has no such
 * join and shuffles both sides.
 *
 * The broadcast is made when the join runs, so it is no stage of adaptive execution, which would
 * plan Spark's broadcast join above it.
 */
private[broadhead] case class BroadheadBuildOuterHashJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    buildSide: BuildSide,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan)
    extends BroadheadHashJoin
    with BuildOuterJoin {

  override def nodeName: String = "BroadheadBroadcastHashJoin"

  protected override def nullAware: Boolean = false

  /** Spark's join of the same rows, for the columns and the description. */
  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    SortMergeJoinExec(leftKeys, rightKeys, joinType, condition, left, right)

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(UnspecifiedDistribution, UnspecifiedDistribution)

  // Plans created during execution need the session, which is that of the thread.
  @transient protected override lazy val operators: BroadcastJoinOperators =
    session.withActive(BroadcastJoinOperators.inManyTasks(overBroadcast))

  /** This join over the broadcast of its build side. */
  private def overBroadcast: BroadheadBuildOuterHashJoin =
    if (buildSide == BuildLeft) copy(left = broadcastOf(left))
    else copy(right = broadcastOf(right))

  private def broadcastOf(plan: SparkPlan): BroadheadBroadcastRead = {
    val exchange = BroadcastExchangeExec(ofEachTask(Inner).relationMode, plan)
    BroadheadBroadcastRead(BroadcastExchangeCase.convert(exchange, Seq(plan)))
  }

  /** The join of each task for its own rows. */
  def ofEachTask(joinType: JoinType): BroadheadEquiJoin =
    BroadheadEquiJoin(
      leftKeys,
      rightKeys,
      joinType,
      buildSide,
      condition,
      left,
      right,
      EquiJoinKind.Broadcast(isNullAware = false))

  /** Starts the broadcast, whose rows are collected while the files of the other side are listed. */
  protected override def doPrepare(): Unit = {
    super.doPrepare()
    operators.broadcast.prepare()
  }

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBuildOuterHashJoin = copy(left = newLeft, right = newRight)
}
