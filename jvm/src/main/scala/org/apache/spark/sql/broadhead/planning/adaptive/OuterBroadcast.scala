package org.apache.spark.sql.broadhead.planning.adaptive

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionSupport, TypeNames}
import org.apache.spark.sql.broadhead.fragment.{BroadheadRowSource, FileScanOperator}
import org.apache.spark.sql.broadhead.operators._
import org.apache.spark.sql.broadhead.planning.Guarded
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleExchange, BroadheadShuffleRead}
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint}
import org.apache.spark.sql.catalyst.plans.physical.{IdentityBroadcastMode, UnspecifiedDistribution}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ENSURE_REQUIREMENTS, Exchange, ShuffleExchangeExec}
import org.apache.spark.sql.execution.SparkPlan

/**
 * Broadcasts the small outer side of a join instead of shuffling the other side, such as the
 * changes of a MERGE.
 *
 * Spark cannot: the unmatched rows of the broadcast are known only after all tasks. The engine
 * reads the other side twice, so that side is a scan with filters and projections.
 */
object OuterBroadcast extends Rule[SparkPlan] {

  /** Shuffling a side that reads less is faster than reading it twice. */
  private val LeastBytes = 16L << 20

  override def apply(plan: SparkPlan): SparkPlan = Guarded(ruleName, plan) {
    if (plan.exists(ShuffledJoin.unapply(_).isDefined)) rewritten(plan, isFree = true)
    else plan
  }

  /** @param isFree whether nothing above relies on which rows are in which task */
  private def rewritten(plan: SparkPlan, isFree: Boolean): SparkPlan = {
    val children =
      plan.children.zip(plan.requiredChildDistribution).map { case (child, required) =>
        val isExchange = plan.isInstanceOf[Exchange]
        rewritten(child, required == UnspecifiedDistribution && (isFree || isExchange))
      }
    plan.withNewChildren(children) match {
      case ShuffledJoin(join) if isFree => broadcast(join).getOrElse(join)
      case other => other
    }
  }

  private def broadcast(join: BroadheadEquiJoin): Option[SparkPlan] =
    for {
      side <- outerSide(join)
      small <- beforeShuffle(sideOf(join, side))
      large <- beforeShuffle(sideOf(join, other(side)))
      if !join.kind.isSkewed && isWithoutHint(join) && isHashed(join) && isSupported(small)
      if isSmall(small) && isReadTwice(large, join) && ScannedBytes.of(large) >= LeastBytes
    } yield made(join, side, small, large)

  /** The side whose unmatched rows are returned; the smaller one of two. */
  private def outerSide(join: BroadheadEquiJoin): Option[BuildSide] = join.joinType match {
    case LeftOuter => Some(BuildLeft)
    case RightOuter => Some(BuildRight)
    case FullOuter => smallerOf(join)
    case _ => None
  }

  private def smallerOf(join: BroadheadEquiJoin): Option[BuildSide] =
    for {
      left <- beforeShuffle(join.left).flatMap(sizeOf)
      right <- beforeShuffle(join.right).flatMap(sizeOf)
    } yield if (left <= right) BuildLeft else BuildRight

  private def sideOf(join: BroadheadEquiJoin, side: BuildSide): SparkPlan =
    if (side == BuildLeft) join.left else join.right

  private def other(side: BuildSide): BuildSide = if (side == BuildLeft) BuildRight else BuildLeft

  /** Whether Spark's hash joins, which may have to take over, find equal keys by their bytes. */
  private def isHashed(join: BroadheadEquiJoin): Boolean =
    !join.leftKeys.exists(key => TypeNames.equalsByKeys(key.dataType))

  private def isWithoutHint(join: SparkPlan): Boolean = join.logicalLink.forall {
    case Join(_, _, _, _, hint) => hint == JoinHint.NONE
    case _ => true
  }

  /** What is shuffled only for the join, by the engine or by Spark, and not yet. */
  private def beforeShuffle(side: SparkPlan): Option[SparkPlan] = side match {
    case BroadheadShuffleRead(exchange: BroadheadShuffleExchange, false)
        if exchange.shuffleOrigin == ENSURE_REQUIREMENTS =>
      Some(exchange.child)
    case BroadheadRowSource(exchange: ShuffleExchangeExec)
        if exchange.shuffleOrigin == ENSURE_REQUIREMENTS =>
      Some(BroadheadRowSource(exchange.child))
    case _ => None
  }

  /** Spark's own limit of broadcasts. */
  private def isSmall(plan: SparkPlan): Boolean =
    sizeOf(plan).exists(size => size >= 0 && size <= conf.autoBroadcastJoinThreshold)

  private def sizeOf(plan: SparkPlan): Option[BigInt] = plan match {
    case BroadheadRowSource(child) => sizeOf(child)
    case _ =>
      plan.logicalLink
        .map(_.stats.sizeInBytes)
        .orElse(if (plan.children.length == 1) sizeOf(plan.children.head) else None)
  }

  /** Whether a plan, and the join above it, give the same when they are run a second time. */
  private def isReadTwice(plan: SparkPlan, above: SparkPlan): Boolean =
    above.expressions.forall(_.deterministic) && (plan match {
      case _: FileScanOperator => true
      case _: BroadheadFilter | _: BroadheadProject => isReadTwice(plan.children.head, plan)
      case _ => false
    })

  /** Whether the rows can be broadcast, and the user has switched off nothing of it. */
  private def isSupported(small: SparkPlan): Boolean = {
    val settings = new Settings(conf)
    val exchange = BroadcastExchangeExec(IdentityBroadcastMode, small)
    settings.operatorEnabled(BroadcastExchangeCase.name) &&
    settings.operatorEnabled(BroadcastHashJoinCase.name) &&
    BroadcastExchangeCase
      .reasons(exchange, new ExpressionSupport(Capabilities.ofJar, settings))
      .isEmpty
  }

  private def made(
      join: BroadheadEquiJoin,
      side: BuildSide,
      small: SparkPlan,
      large: SparkPlan): SparkPlan = {
    val (left, right) = if (side == BuildLeft) (small, large) else (large, small)
    val broadcast = BroadheadBuildOuterHashJoin(
      join.leftKeys,
      join.rightKeys,
      join.joinType,
      side,
      join.condition,
      left,
      right)
    join.logicalLink.foreach(broadcast.setLogicalLink)
    broadcast
  }
}
