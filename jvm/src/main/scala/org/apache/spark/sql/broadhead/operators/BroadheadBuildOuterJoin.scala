package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.fragment.TaskLayout
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.BuildSide
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.SparkPlan

/**
 * A join that returns unmatched rows of its broadcast, while several tasks read the other side.
 *
 * The matches of the broadcast rows are known only after all tasks. So a separate fragment finds
 * them first, like a job of Spark's operator, and here one additional task returns the rows for
 * the broadcast. It is one node in Spark's plan and a union in the engine, whose children read
 * the same broadcast and identify its rows by row ids.
 */
private[broadhead] trait BuildOuterJoin extends BroadheadJoin {

  protected def operators: BroadcastJoinOperators

  override def operatorName: String = "Union"

  override def fixesTasks: Boolean = true

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
}

/** Spark's `BroadcastNestedLoopJoinExec` in the engine, if its tasks need each other's matches. */
private[broadhead] case class BroadheadBuildOuterJoin(
    left: SparkPlan,
    right: SparkPlan,
    buildSide: BuildSide,
    joinType: JoinType,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin
    with BuildOuterJoin {

  override def nodeName: String = "BroadheadBroadcastNestedLoopJoin"

  // Plans created during execution need the session, which is that of the thread.
  @transient protected override lazy val operators: BroadcastJoinOperators =
    session.withActive(BroadcastJoinOperators.inManyTasks(this))

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBuildOuterJoin =
    copy(left = newLeft, right = newRight)
}
