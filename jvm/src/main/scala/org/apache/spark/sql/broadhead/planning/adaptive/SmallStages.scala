package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.fragment.FragmentOperator
import org.apache.spark.sql.broadhead.operators.BroadheadBroadcastRead
import org.apache.spark.sql.broadhead.planning.OperatorCases
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleRead, ShuffleBlocks}
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.execution.adaptive.{BroadcastQueryStageExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.SparkPlan

/**
 * Finds the rest of a query that one task runs faster than another shuffle would take.
 *
 * Adaptive execution plans again when a stage has ended; the sizes of its data are known then.
 */
private[broadhead] class SmallStages(
    inputs: SparkPlan => Seq[SparkPlan],
    isOurs: SparkPlan => Boolean) {
  import SmallStages._

  /**
   * Whether a plan reads only small, finished shuffles of Broadhead, and broadcasts.
   *
   * Never if adaptive execution may not coalesce partitions.
   */
  def isSmall(plan: SparkPlan): Boolean =
    plan.conf.coalesceShufflePartitionsEnabled && size(plan).exists { case Size(bytes, rows) =>
      bytes <= MaxBytes && rows <= MaxRows
    }

  private def size(plan: SparkPlan): Option[Size] = plan match {
    // The user has requested this number of partitions, which adaptive execution keeps too.
    case stage: ShuffleQueryStageExec if stage.shuffle.shuffleOrigin == REPARTITION_BY_NUM => None
    case stage: ShuffleQueryStageExec => sizeOf(stage)
    // Every task reads all of a broadcast, for any number of tasks.
    case _: BroadcastQueryStageExec => Some(Size(0, 0))
    case exchange: ShuffleExchangeLike if exchange.shuffleOrigin != ENSURE_REQUIREMENTS => None
    // The operators between a stage and its logical operator were replaced when the stage was
    // planned.
    case BroadheadShuffleRead(stage, _) => size(stage)
    case BroadheadBroadcastRead(stage, _) => size(stage)
    case operator if fixesTasks(operator) => None
    case operator if isOperator(operator) && inputs(operator).nonEmpty =>
      val below = inputs(operator).map(size)
      Optional.when(below.forall(_.isDefined))(below.flatten.reduce(_ + _))
    case _ => None
  }

  private def isOperator(plan: SparkPlan): Boolean = plan match {
    case operator: FragmentOperator => !operator.endsFragment
    case other => isOurs(other)
  }

  private def fixesTasks(plan: SparkPlan): Boolean = plan match {
    case operator: FragmentOperator => operator.fixesTasks
    case other => OperatorCases.find(other).exists(_.fixesTasks)
  }

  private def sizeOf(stage: ShuffleQueryStageExec): Option[Size] =
    if (stage.isMaterialized && ShuffleBlocks.find(stage).isDefined) {
      val statistics = stage.getRuntimeStatistics
      statistics.rowCount.map(rows => Size(statistics.sizeInBytes, rows))
    } else {
      None
    }
}

private[broadhead] object SmallStages {
  private val MaxBytes = BigInt(4L << 20)
  private val MaxRows = BigInt(100000)

  private case class Size(bytes: BigInt, rows: BigInt) {
    def +(other: Size): Size = Size(bytes + other.bytes, rows + other.rows)
  }
}
