package org.apache.spark.sql.broadhead.planning.adaptive

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.pythonfunctions.PickledRows
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning, RangePartitioning}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{FileSourceScanExec, LocalTableScanExec, RDDScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

/**
 * The number of partitions of a plan's shuffles if the user has left it to Spark.
 *
 * Spark's default of 200 makes small batches of any data; here the number follows the size of the
 * scanned data.
 */
private[broadhead] class ShuffleCounts(
    root: SparkPlan,
    isOurs: SparkPlan => Boolean,
    settings: Settings) {
  import ShuffleCounts._

  private val conf = root.conf
  private val default = conf.numShufflePartitions

  /** The number; None if the user has fixed it, or if it must match other shuffles. */
  private lazy val count: Option[Int] =
    if (isFixed || !everyShuffleIsOurs) None else chosen.filter(_ < default)

  /** The partitioning of an exchange. */
  def of(exchange: ShuffleExchangeExec): Partitioning =
    if (isFree(exchange)) {
      (exchange.outputPartitioning, count) match {
        case (HashPartitioning(expressions, _), Some(chosen)) =>
          HashPartitioning(expressions, chosen)
        case (RangePartitioning(ordering, _), Some(chosen)) => RangePartitioning(ordering, chosen)
        case (partitioning, _) => partitioning
      }
    } else {
      exchange.outputPartitioning
    }

  private def isFixed: Boolean =
    conf.contains(SQLConf.SHUFFLE_PARTITIONS.key) ||
      conf.contains(SQLConf.COALESCE_PARTITIONS_INITIAL_PARTITION_NUM.key)

  /** By the partitioning: reading the exchange's own number would set up its shuffle. */
  private def isFree(exchange: ShuffleExchangeLike): Boolean =
    exchange.shuffleOrigin == ENSURE_REQUIREMENTS &&
      exchange.outputPartitioning.numPartitions == default

  /**
   * The sides of a join must have the same number, so either all shuffles of this number change,
   * or none.
   */
  private def everyShuffleIsOurs: Boolean = !root.exists {
    case exchange: ShuffleExchangeExec => isFree(exchange) && !isOurs(exchange)
    case stage: ShuffleQueryStageExec => stage.outputPartitioning.numPartitions == default
    case _ => false
  }

  private def chosen: Option[Int] = {
    val onGpu = BroadheadState.mayUseGpu(settings)
    val parallelism = root.session.sparkContext.defaultParallelism
    val least = if (onGpu) GpuTasks * BroadheadState.gpus else 2 * parallelism
    val each = if (onGpu) GpuBytes else CpuBytes
    val sizes = root.collectLeaves().flatMap {
      case scan: FileSourceScanExec => Some(ScannedBytes.ofScan(scan))
      case scan: BatchScanExec => Some(ScannedBytes.ofScan(scan))
      case table: LocalTableScanExec => Some(ValueBytes * table.rows.length * table.output.length)
      case scan: RDDScanExec => PickledRows.of(scan).flatMap(_.bytes)
      case _ => None
    }
    val bytes = sizes.sum
    Optional.when(sizes.exists(_ > 0))(
      math.max(least.toLong, bytes / each).min(default.toLong).toInt)
  }
}

private[broadhead] object ShuffleCounts {

  /** Bytes of Parquet for a partition: some ten million values. */
  private val CpuBytes = 16L << 20
  private val GpuBytes = 256L << 20
  private val GpuTasks = 4

  /** Those of a value in a row of the driver's. */
  private val ValueBytes = 8L
}
