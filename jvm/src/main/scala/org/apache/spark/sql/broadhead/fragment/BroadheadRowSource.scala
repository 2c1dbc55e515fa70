package org.apache.spark.sql.broadhead.fragment

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.arrow.RowBatches
import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.execution.RowSourceLayout
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A leaf of a fragment: the rows of an operator of Spark, which the JVM sends as Arrow. */
case class BroadheadRowSource(child: SparkPlan) extends UnaryExecNode with FragmentSource {

  /** The operator of the rows, without the transition that Spark adds above rows. */
  def source: SparkPlan = child match {
    case RowToColumnarExec(rows) => rows
    case other => other
  }

  override def operatorName: String = "RowSource"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override lazy val engineMetrics: Map[String, SQLMetric] = Map(
    "rows" -> SQLMetrics.createMetric(sparkContext, "number of rows sent to the engine"),
    "batches" -> SQLMetrics.createMetric(sparkContext, "number of batches sent to the engine"),
    "time" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in the engine"))

  override lazy val metrics: Map[String, SQLMetric] = engineMetrics

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  override def keepsOrder: Boolean = true

  override def data(node: Int): SourceData =
    SourceData(
      RowSourceLayout(DataTypeUtils.fromAttributes(output), source.supportsColumnar),
      rows = Some(RunningSource.of(source)))

  @transient override lazy val original: SparkPlan = BroadheadReplaySource(source)

  protected override def doExecute(): RDD[InternalRow] =
    if (source.supportsColumnar) ColumnarToRowExec(source).execute() else source.execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    if (source.supportsColumnar) source.executeColumnar()
    else RowBatches.columnar(source)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadRowSource =
    copy(child = newChild)
}

/**
 * The plan of a row source, as a leaf of the operators kept for replay.
 *
 * Spark has already prepared this plan (transitions, generated code); as a leaf it is not
 * prepared again.
 */
case class BroadheadReplaySource(plan: SparkPlan) extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output

  override def outputPartitioning: Partitioning = plan.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = plan.outputOrdering

  override def supportsColumnar: Boolean = plan.supportsColumnar

  protected override def doExecute(): RDD[InternalRow] = plan.execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = plan.executeColumnar()
}
