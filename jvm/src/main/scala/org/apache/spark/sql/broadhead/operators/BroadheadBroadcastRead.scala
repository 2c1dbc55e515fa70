package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.broadcast.{BroadcastContent, EndedQueries, LazyRelationBroadcast}
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json}
import org.apache.spark.sql.broadhead.execution.BroadcastLayout
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentRunner, FragmentSource, SourceData, TaskLayout}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.errors.QueryExecutionErrors
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * A leaf of a fragment: all rows of one of Broadhead's broadcasts, which every task reads.
 *
 * @param child the exchange, or its replacement by reuse and adaptive execution
 * @param rowId a last column with the row ids in the broadcast, if they are needed
 */
private[broadhead] case class BroadheadBroadcastRead(
    child: SparkPlan,
    rowId: Option[Attribute] = None)
    extends UnaryExecNode
    with FragmentSource {

  /** The exchange without the transition that Spark adds above nodes without columnar output. */
  private[broadhead] def source: SparkPlan = child match {
    case RowToColumnarExec(rows) => rows
    case other => other
  }

  /** The rows, which executors keep until the query of this thread ends. */
  private[broadhead] def content: BroadcastContent =
    source.executeBroadcast[Any]() match {
      case relation: LazyRelationBroadcast =>
        EndedQueries.willRelease(relation.content, sparkContext)
        relation.content
      case _ =>
        throw new IllegalStateException(s"${source.nodeName} is not a broadcast of Broadhead")
    }

  override def operatorName: String = "BroadcastRead"

  override def output: Seq[Attribute] = child.output ++ rowId

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout = TaskLayout.Everywhere

  override lazy val engineMetrics: Map[String, SQLMetric] = Map(
    "rows" -> SQLMetrics.createMetric(sparkContext, "number of rows read"),
    "batches" -> SQLMetrics.createMetric(sparkContext, "number of batches read"),
    "time" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in the engine"))

  override lazy val metrics: Map[String, SQLMetric] = engineMetrics

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Seq("rowIds" -> Json.bool(rowId.isDefined))

  override def data(node: Int): SourceData = SourceData(BroadcastLayout(content))

  @transient override lazy val original: SparkPlan =
    rowId.fold[SparkPlan](BroadheadReplayBroadcast(source))(BroadcastRowIds(source, _))

  protected override def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    FragmentRunner.execute(FragmentEncoder.encode(this))

  override protected[sql] def doExecuteBroadcast[T](): Broadcast[T] = source.executeBroadcast[T]()

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadBroadcastRead =
    copy(child = newChild)
}

/** A broadcast as a leaf of the operators kept for replay: only for Spark's joins. */
case class BroadheadReplayBroadcast(plan: SparkPlan) extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output

  override def outputPartitioning: Partitioning = plan.outputPartitioning

  protected override def doExecute(): RDD[InternalRow] =
    throw QueryExecutionErrors.executeCodePathUnsupportedError("BroadcastExchange")

  override protected[sql] def doExecuteBroadcast[T](): Broadcast[T] = plan.executeBroadcast[T]()
}
