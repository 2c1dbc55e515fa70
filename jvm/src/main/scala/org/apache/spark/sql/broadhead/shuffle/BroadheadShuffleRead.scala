package org.apache.spark.sql.broadhead.shuffle

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.execution.ShuffleRange
import org.apache.spark.sql.broadhead.fragment.{BroadheadReplaySource, FragmentSource, SourceBlocks, SourceData}
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * A leaf of a fragment: blocks of one of Broadhead's shuffles, which the worker reads itself.
 *
 * @param child the exchange, or its replacement by adaptive execution
 * @param whole whether one task reads all partitions
 */
case class BroadheadShuffleRead(child: SparkPlan, whole: Boolean)
    extends UnaryExecNode
    with FragmentSource {

  private[broadhead] def blocks: ShuffleBlocks = {
    val found = ShuffleBlocks
      .find(child)
      .getOrElse(
        throw new IllegalStateException(s"${child.nodeName} is not a shuffle of Broadhead"))
    if (whole) found.copy(specs = Seq(CoalescedPartitionSpec(0, found.exchange.numPartitions)))
    else found
  }

  override def operatorName: String = "ShuffleRead"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    if (whole) SinglePartition else child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override lazy val engineMetrics: Map[String, SQLMetric] = Map(
    "rows" -> SQLMetrics.createMetric(sparkContext, "number of rows read"),
    "batches" -> SQLMetrics.createMetric(sparkContext, "number of batches read"),
    "time" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in the engine"))

  override lazy val metrics: Map[String, SQLMetric] = engineMetrics

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  override def keepsOrder: Boolean = true

  override def data(node: Int): SourceData = {
    val (found, exchange) = (blocks, blocks.exchange)
    SourceData(
      ShuffleLayout(node, exchange.shuffleHandle, exchange.readMetrics),
      blocks = Some(SourceBlocks(found.specs.map(ShuffleRange.of), exchange.shuffleDependency)))
  }

  @transient override lazy val original: SparkPlan =
    BroadheadReplaySource(if (whole) BlocksOfStage(blocks, output) else child)

  protected override def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    BroadheadShuffleRead.batches(blocks, engineMetrics)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadShuffleRead =
    copy(child = newChild)
}

private[broadhead] object BroadheadShuffleRead {

  /**
   * The rows of a shuffle for Spark's own operators.
   *
   * @param metrics of the node that reads them, by the names of the engine's
   */
  def batches(
      blocks: ShuffleBlocks,
      metrics: Map[String, SQLMetric] = Map.empty): RDD[ColumnarBatch] = {
    val exchange = blocks.exchange
    new ShuffleBlocksRDD(
      exchange.session.sparkContext,
      exchange.shuffleDependency,
      ShuffleLayout(node = 0, exchange.shuffleHandle, exchange.readMetrics),
      DataTypeUtils.fromAttributes(exchange.output),
      metrics,
      blocks.specs.map(ShuffleRange.of))
  }
}

/** Chosen blocks of a shuffle as a plan. */
private[broadhead] case class BlocksOfStage(
    blocks: ShuffleBlocks,
    override val output: Seq[Attribute])
    extends LeafExecNode {

  override def outputPartitioning: Partitioning =
    if (blocks.specs.length == 1) SinglePartition else blocks.exchange.outputPartitioning

  override def supportsColumnar: Boolean = true

  protected override def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    BroadheadShuffleRead.batches(blocks)
}

/** The blocks of a shuffle to read: one specification for each task. */
private[broadhead] case class ShuffleBlocks(
    exchange: BroadheadShuffleExchange,
    specs: Seq[ShufflePartitionSpec])

private[broadhead] object ShuffleBlocks {

  /** The shuffle that a plan reads directly, if it is one of Broadhead's. */
  def find(plan: SparkPlan): Option[ShuffleBlocks] = plan match {
    case exchange: BroadheadShuffleExchange => Some(all(exchange))
    case ReusedExchangeExec(_, exchange) => find(exchange)
    case stage: ShuffleQueryStageExec => find(stage.plan)
    case AQEShuffleReadExec(stage, specs) => find(stage).map(_.copy(specs = specs))
    case BlocksOfStage(blocks, _) => Some(blocks)
    case _ => None
  }

  /** One task for each partition. */
  def all(exchange: BroadheadShuffleExchange): ShuffleBlocks =
    ShuffleBlocks(
      exchange,
      (0 until exchange.numPartitions).map(part => CoalescedPartitionSpec(part, part + 1)))
}
