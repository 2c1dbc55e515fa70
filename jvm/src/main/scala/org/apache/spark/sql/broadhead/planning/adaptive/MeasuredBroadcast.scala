package org.apache.spark.sql.broadhead.planning.adaptive

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.planning.{BroadcastLimit, BroadcastSides, Guarded}
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleRead, ShuffleBlocks}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.{LogicalQueryStage, ShuffleQueryStageExec}

/**
 * Lets adaptive execution broadcast a side of a join whose measured size is small enough.
 *
 * Only if the other side is not shuffled yet, since a broadcast saves that shuffle; and a hint of
 * the user has priority.
 */
object MeasuredBroadcast extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = Guarded(ruleName, plan) {
    val settings = new Settings(conf)
    if (settings.enabled && BroadheadState.available) {
      val limit = BroadcastLimit.of(conf, settings)
      plan.transformDown {
        case join @ ExtractEquiJoinKeys(_, _, _, _, _, left, right, JoinHint.NONE) =>
          if (BroadcastSides.right(join.joinType) && isWorth(right, left, limit)) {
            join.copy(hint = JoinHint(None, Broadcast))
          } else if (BroadcastSides.left(join.joinType) && isWorth(left, right, limit)) {
            join.copy(hint = JoinHint(Broadcast, None))
          } else {
            join
          }
      }
    } else {
      plan
    }
  }

  private val Broadcast = Some(HintInfo(strategy = Some(BROADCAST)))

  private def isWorth(small: LogicalPlan, other: LogicalPlan, limit: Long): Boolean =
    !isShuffled(other) && finishedStage(small).exists { stage =>
      val size = stage.getRuntimeStatistics.sizeInBytes
      // the remaining rows of a whole table's join may well be smaller than the table
      size > 0 && size <= (if (ReducingPlans.mayReduce(stage.plan)) limit else limit / WholeTable)
    }

  private val WholeTable = 4

  private def finishedStage(plan: LogicalPlan): Option[ShuffleQueryStageExec] = {
    val stage = plan match {
      case LogicalQueryStage(_, BroadheadShuffleRead(stage: ShuffleQueryStageExec, _)) =>
        Some(stage)
      case LogicalQueryStage(_, stage: ShuffleQueryStageExec) => Some(stage)
      case _ => None
    }
    stage.filter(found => found.isMaterialized && ShuffleBlocks.find(found).isDefined)
  }

  private def isShuffled(plan: LogicalPlan): Boolean = plan match {
    case LogicalQueryStage(_, _: BroadheadShuffleRead | _: ShuffleQueryStageExec) => true
    case _ => false
  }
}
