package org.apache.spark.sql.broadhead.shuffle

import scala.concurrent.Future

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.{MapOutputStatistics, Partitioner, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.shuffle.BaseShuffleHandle
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport}
import org.apache.spark.sql.broadhead.fragment.{EncodingFallback, FragmentEncoder, FragmentOperator, FragmentRunner, InputOrder, OperatorCase, ReplayPlan}
import org.apache.spark.sql.broadhead.gpu.DeviceProcess
import org.apache.spark.sql.broadhead.versions.{Optional, ShuffleExchangeBase}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}
import org.apache.spark.sql.execution.metric._
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Spark's `ShuffleExchangeExec` with files that the engine writes and reads.
 *
 * It ends the fragment below it. Spark's scheduler, map output tracker and block transfer treat
 * it like any other shuffle.
 */
case class BroadheadShuffleExchange(
    override val outputPartitioning: Partitioning,
    child: SparkPlan,
    shuffleOrigin: ShuffleOrigin,
    advisoryPartitionSize: Option[Long])
    extends ShuffleExchangeBase
    with FragmentOperator {

  override def endsFragment: Boolean = true

  override def inputOrder: InputOrder = InputOrder.Ignored

  override def distributes: Boolean = true

  override def keepsOrder: Boolean = inputKeepsOrder

  override def operatorName: String = "ShuffleWrite"

  override def nodeName: String = "BroadheadShuffleExchange"

  /** The rows that are shuffled. */
  @transient override lazy val original: SparkPlan = FragmentEncoder.originalOf(child)

  private lazy val writeMetrics =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)

  /** Spark's metrics of reading this shuffle. */
  private[broadhead] lazy val readMetrics =
    SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] =
    engineMetrics ++ fragmentMetrics ++ writeMetrics ++ readMetrics +
      ("dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"))

  protected override def ownMetrics: Map[String, SQLMetric] =
    Map("spilledBytes" -> SQLMetrics.createSizeMetric(sparkContext, "spill size")) ++
      Optional.when(BroadheadState.gpus > 0 && DeviceProcess.isWanted(sparkContext.getConf))(
        "keptBytes" -> SQLMetrics.createSizeMetric(sparkContext, "size of rows kept on the GPU"))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Seq("partitioning" -> ShufflePartitionings.encode(this, encoder))

  /** The bounds of the partitions of a range partitioning. */
  private[broadhead] lazy val rangeBounds: Seq[InternalRow] = RangeBounds.of(this)

  private lazy val mapSide: RDD[(Int, ShuffleMapFile)] = {
    // First, since it runs the query that computes the bounds: an error of that is the user's.
    if (ShufflePartitionings.hasBounds(outputPartitioning)) rangeBounds
    val encoded = EncodingFallback.encoded(this)
    val writer = RowShuffleWriter(
      DataTypeUtils.fromAttributes(output),
      RowPartitioning.of(outputPartitioning, output, rangeBounds))
    encoded match {
      case Some(whole) =>
        val inTurn = ShufflePartitionings.isInTurn(outputPartitioning)
        new ShuffleMapRDD(sparkContext, FragmentRunner.prepare(whole), writer, inTurn)
      case None =>
        val rows = ReplayPlan.whole(original).execute()
        EncodingFallback.count(this, rows.getNumPartitions)
        writer.parts(rows, ShufflePartitionings.isInTurn(outputPartitioning))
    }
  }

  lazy val shuffleDependency: ShuffleDependency[Int, InternalRow, InternalRow] =
    // All seven, no defaults: other versions of Spark have more parameters after them.
    new ShuffleDependency[Int, InternalRow, InternalRow](
      mapSide.asInstanceOf[RDD[Product2[Int, InternalRow]]],
      new PartitionCount(numPartitions),
      new BlockSerializer,
      None,
      None,
      false,
      new ShuffleFileCommit(writeMetrics, metrics("dataSize")))

  private[broadhead] def shuffleHandle: BaseShuffleHandle[_, _, _] =
    shuffleDependency.shuffleHandle.asInstanceOf[BaseShuffleHandle[_, _, _]]

  override def numMappers: Int = mapSide.getNumPartitions

  override def numPartitions: Int = outputPartitioning.numPartitions

  override def shuffleId: Int = shuffleDependency.shuffleId

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] =
    if (numMappers == 0) {
      Future.successful(null)
    } else {
      val job = sparkContext.submitMapStage(shuffleDependency)
      submitted(job)
      job
    }

  override def runtimeStatistics: Statistics = Statistics(
    metrics("dataSize").value,
    Some(metrics(SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN).value))

  override def getShuffleRDD(specs: Array[ShufflePartitionSpec]): RDD[_] =
    BroadheadShuffleRead.batches(ShuffleBlocks(this, specs.toSeq))

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    BroadheadShuffleRead.batches(ShuffleBlocks.all(this))

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadShuffleExchange =
    copy(child = newChild)
}

private[broadhead] object ShuffleExchangeCase extends OperatorCase[ShuffleExchangeExec] {
  override def name: String = "ShuffleExchange"

  override def worksOnNumbers(plan: ShuffleExchangeExec): Boolean = false

  override def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Ignored

  override def endsFragment: Boolean = true

  override def reasons(exchange: ShuffleExchangeExec, support: ExpressionSupport): Seq[String] =
    ShuffleSupport.reasons ++
      exchange.child.output.flatMap(support.columnReasons) ++
      ShufflePartitionings.reasons(exchange.outputPartitioning, support)

  override def convert(exchange: ShuffleExchangeExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadShuffleExchange(
      exchange.outputPartitioning,
      children.head,
      exchange.shuffleOrigin,
      exchange.advisoryPartitionSize)
}

/** The number of partitions of a shuffle; the engine computes the partition of each row. */
private[broadhead] class PartitionCount(override val numPartitions: Int) extends Partitioner {
  override def getPartition(key: Any): Int = key.asInstanceOf[Int]
}
