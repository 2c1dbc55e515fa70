package org.apache.spark.sql.broadhead.planning.adaptive

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.operators.{BroadheadEquiJoin, ShuffledJoin}
import org.apache.spark.sql.broadhead.planning.{BroadcastLimit, BroadcastSides, Guarded}
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleExchange, BroadheadShuffleRead}
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.exchange.ENSURE_REQUIREMENTS
import org.apache.spark.sql.execution.SparkPlan

/**
 * Runs the side of a join that may turn out to be small before the other side is shuffled.
 *
 * Adaptive execution starts both shuffles at the same time. If one side then turns out to be
 * small enough for a broadcast, the shuffle of the other side was useless.
 */
object SmallSideFirst extends Rule[SparkPlan] {

  /** Shuffling a side that reads less is faster than starting an additional stage. */
  private val LeastBytes = 16L << 20

  /** A side that reads more than this factor times the broadcast limit will hardly become small. */
  private val Reduction = 8

  /** Each stage below a side occurs twice in the plan, like the side: that limits its size. */
  private val MostBelow = 3

  override def apply(plan: SparkPlan): SparkPlan = Guarded(ruleName, plan) {
    // the awaited stage occurs twice in the plan
    if (conf.exchangeReuseEnabled && plan.exists(ShuffledJoin.unapply(_).isDefined)) {
      val limit = BroadcastLimit.of(conf, new Settings(conf))
      if (limit > 0) plan.transformUp { case ShuffledJoin(join) => ordered(join, limit) }
      else plan
    } else {
      plan
    }
  }

  private def ordered(join: BroadheadEquiJoin, limit: Long): SparkPlan =
    (join.left, join.right) match {
      case (left @ BroadheadShuffleRead(l, false), right @ BroadheadShuffleRead(r, false)) =>
        val leftFirst = BroadcastSides.left(join.joinType) && isFirst(l, r, limit)
        val rightFirst = BroadcastSides.right(join.joinType) && isFirst(r, l, limit)
        if (rightFirst && !(leftFirst && bytesOf(l) < bytesOf(r))) {
          // the left side is visited first, so the stage is created there
          join.withNewChildren(Seq(left.copy(child = after(l, r)), right.copy(child = again(r))))
        } else if (leftFirst) {
          join.withNewChildren(Seq(left, right.copy(child = after(r, again(l)))))
        } else {
          join
        }
      case _ => join
    }

  /**
   * Whether one side of a join should run before the other.
   *
   * @param limit the broadcast limit
   */
  private def isFirst(side: SparkPlan, other: SparkPlan, limit: Long): Boolean = {
    val content = contentOf(side)
    lazy val (read, large) = (ScannedBytes.of(content), bytesOf(other))
    other.isInstanceOf[BroadheadShuffleExchange] && isUnfinished(side) && large >= LeastBytes &&
    waitsBelow(side) <= MostBelow &&
    (ReducingPlans.keepsFewGroups(content) ||
      (ReducingPlans.mayReduce(content) && read <= large && read / Reduction <= limit))
  }

  private def isUnfinished(side: SparkPlan): Boolean = side match {
    case exchange: BroadheadShuffleExchange => exchange.shuffleOrigin == ENSURE_REQUIREMENTS
    case stage: ShuffleQueryStageExec => !stage.isMaterialized
    case _ => false
  }

  private def waitsBelow(side: SparkPlan): Int =
    side.collect { case wait: BroadheadAwait => wait }.length

  private def bytesOf(side: SparkPlan): Long = ScannedBytes.of(contentOf(side))

  /** The plan of a side without the stages that it only waits for. */
  private def contentOf(side: SparkPlan): SparkPlan = side match {
    case stage: ShuffleQueryStageExec => stage.plan
    case other => AwaitRemoval(other)
  }

  /** An exchange that waits for a stage. */
  private def after(exchange: SparkPlan, stage: SparkPlan): SparkPlan =
    exchange.withNewChildren(Seq(BroadheadAwait(exchange.children.head, stage)))

  /**
   * The same stage at another position, where adaptive execution reuses the first one.
   *
   * It has no link to the logical plan, since the first one has it.
   */
  private def again(stage: SparkPlan): SparkPlan = stage match {
    case exchange: BroadheadShuffleExchange =>
      val copied = exchange.copy()
      copied.setTagValue(SparkPlan.LOGICAL_PLAN_TAG, OneRowRelation())
      copied
    case made => made
  }
}
