package org.apache.spark.sql.broadhead.broadcast

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.execution.TaskLayout
import org.apache.spark.sql.broadhead.operators.BroadheadNestedLoopJoin
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.BuildSide
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.SparkPlan

/**
 * Spark's `BroadcastNestedLoopJoinExec` in the engine, where rows of the broadcast come out by
 * themselves and several tasks have the other side.
 *
 * Which rows of the broadcast have a match is known when all tasks have looked. So a fragment of its
 * own finds them first, as a job of Spark's operator does, and here one task more than the other
 * side has gives what comes of the rows of the broadcast. One node in Spark's plan, it is a union in
 * the engine, whose parts read the same broadcast: the place of a row in it says which row it is.
 */
private[broadhead] case class BroadheadBuildOuterJoin(
    left: SparkPlan,
    right: SparkPlan,
    buildSide: BuildSide,
    joinType: JoinType,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin {

  override def nodeName: String = "BroadheadBroadcastNestedLoopJoin"

  override def operatorName: String = "Union"

  override def fixesTasks: Boolean = true

  // Plans made while others run need the session, which is the thread's own.
  @transient private lazy val parts: BroadcastJoinParts =
    session.withActive(BroadcastJoinParts.inManyTasks(this))

  override def engineChildren: Seq[SparkPlan] = parts.all

  @transient override lazy val original: SparkPlan = parts.original

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    TaskLayout.oneAfterTheOther(id, below)

  /** Those of the joins that it is made of, which are not in Spark's plan. */
  override lazy val engineMetrics: Map[String, SQLMetric] =
    parts.engineMetrics ++ Map(
      "rows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
      "batches" -> SQLMetrics.createMetric(sparkContext, "number of output batches"))

  override lazy val fragmentMetrics: Map[String, SQLMetric] = parts.fragmentMetrics

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadBuildOuterJoin =
    copy(left = newLeft, right = newRight)
}
