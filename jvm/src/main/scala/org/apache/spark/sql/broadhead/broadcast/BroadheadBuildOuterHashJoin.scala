package org.apache.spark.sql.broadhead.broadcast

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.execution.TaskLayout
import org.apache.spark.sql.broadhead.operators.{BroadheadBroadcastHashJoin, BroadheadHashJoin, BroadheadRowSource}
import org.apache.spark.sql.broadhead.scan.FileScanOperator
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildSide}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastDistribution, Distribution, Partitioning, UnknownPartitioning, UnspecifiedDistribution}
import org.apache.spark.sql.execution.joins.SortMergeJoinExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * A join with keys that broadcasts the side whose unmatched rows are returned: Spark has no such
 * join and shuffles both sides.
 *
 * As in [[BroadheadBuildOuterJoin]], a separate fragment finds the matched rows of the broadcast,
 * and one additional task returns the others. The broadcast is made when the join runs, so it is
 * no stage of adaptive execution, which would plan Spark's broadcast join above it.
 */
private[broadhead] case class BroadheadBuildOuterHashJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    buildSide: BuildSide,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan)
    extends BroadheadHashJoin {

  override def nodeName: String = "BroadheadBroadcastHashJoin"

  override def operatorName: String = "Union"

  override def fixesTasks: Boolean = true

  protected override def nullAware: Boolean = false

  /** Spark's join of the same rows, for the columns and the description. */
  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    SortMergeJoinExec(leftKeys, rightKeys, joinType, condition, left, right)

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(UnspecifiedDistribution, UnspecifiedDistribution)

  // Plans created during execution need the session, which is that of the thread.
  @transient private lazy val operators: BroadcastJoinOperators =
    session.withActive(BroadcastJoinOperators.inManyTasks(overBroadcast))

  /** This join over the broadcast of its build side. */
  private def overBroadcast: BroadheadBuildOuterHashJoin =
    if (buildSide == BuildLeft) copy(left = broadcastOf(left))
    else copy(right = broadcastOf(right))

  private def broadcastOf(plan: SparkPlan): BroadheadBroadcastRead = {
    val rows = plan match {
      case source: BroadheadRowSource => source.source
      case operator => operator
    }
    val side = if (buildSide == BuildLeft) 0 else 1
    ofEachTask(Inner).requiredChildDistribution(side) match {
      case BroadcastDistribution(mode) =>
        BroadheadBroadcastRead(BroadheadBroadcastExchange(mode, rows))
      case other => throw new IllegalStateException(s"$other is not that of a broadcast")
    }
  }

  /** The join of each task for its own rows. */
  def ofEachTask(joinType: JoinType): BroadheadBroadcastHashJoin =
    BroadheadBroadcastHashJoin(
      leftKeys,
      rightKeys,
      joinType,
      buildSide,
      condition,
      left,
      right,
      isNullAwareAntiJoin = false)

  /** Starts the broadcast. */
  protected override def doPrepare(): Unit = {
    super.doPrepare()
    operators.broadcast.prepare()
  }

  /** Lists the files of the other side while the broadcast's rows are collected. */
  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = {
    foreach {
      case scan: FileScanOperator => scan.filePartitions
      case _ =>
    }
    super.doExecuteColumnar()
  }

  override def engineChildren: Seq[SparkPlan] = operators.all

  @transient override lazy val original: SparkPlan = operators.original

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    TaskLayout.oneAfterTheOther(id, below)

  /** The metrics of its internal joins, which are not in Spark's plan. */
  override lazy val engineMetrics: Map[String, SQLMetric] =
    operators.engineMetrics ++ Map(
      "rows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
      "batches" -> SQLMetrics.createMetric(sparkContext, "number of output batches"))

  override lazy val fragmentMetrics: Map[String, SQLMetric] = operators.fragmentMetrics

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBuildOuterHashJoin = copy(left = newLeft, right = newRight)
}
