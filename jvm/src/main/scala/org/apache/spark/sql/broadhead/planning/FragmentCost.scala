package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.broadcast.BroadheadBroadcastExchange
import org.apache.spark.sql.broadhead.operators.{BroadheadCoalesce, BroadheadCollectLimit, BroadheadFilter, BroadheadGenerate, BroadheadLimit, BroadheadLocalTableScan, BroadheadProject, BroadheadRange, BroadheadSample, BroadheadUnion}
import org.apache.spark.sql.broadhead.scan.BroadheadFileSourceScan
import org.apache.spark.sql.catalyst.plans.InnerLike
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeLike, Exchange}
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec

/**
 * A possible fragment.
 *
 * @param operators its operators, from the root down; each one of Spark's or already one of ours
 * @param sources shuffles and cached tables that it reads without the way through rows
 * @param ancestors the operators above it, from its parent up to the root of the plan
 */
private[broadhead] case class FragmentCandidate(
    operators: Seq[SparkPlan],
    sources: Seq[SparkPlan],
    ancestors: Seq[SparkPlan])

/** Decides whether a fragment would pay for the way to the engine and back. */
private[broadhead] object FragmentCost {

  /** Numbers after which making them takes longer than starting a task in the engine. */
  private val LongRange = 1000000

  /** Why the fragment does not pay; none when it does. */
  def reason(fragment: FragmentCandidate): Option[String] =
    if (fragment.operators.headOption.exists(_.isInstanceOf[BroadcastExchangeLike])) {
      // Whether it pays is up to the join that reads it, which goes where the broadcast goes.
      None
    } else if (fragment.sources.isEmpty && !readsMuch(fragment.operators)) {
      // A later phase goes where the phase below it goes.
      val merges = fragment.operators.reverse
        .collectFirst { case aggregate: BaseAggregateExec => AggregatePhases.below(aggregate) }
        .exists(_ != AggregatePhases.NoPhase)
      if (merges) None else Some("not worth sending Spark's rows to the engine without a scan")
    } else if (fragment.operators.exists(!isLight(_))) {
      None
    } else {
      fragment.ancestors.find(!handsOn(_)).map { consumer =>
        "not worth it without an aggregate, since the rows go back to Spark's " +
          consumer.nodeName.trim
      }
    }

  /** Spark's generated code makes numbers, and adds them up, faster than they can be handed on. */
  private def readsMuch(operators: Seq[SparkPlan]): Boolean =
    operators.exists(isScan) ||
      (operators.exists(isLongRange) && operators.exists(worksOnNumbers))

  /** Whether an operator has more to do with numbers than to add them up or pass them on. */
  private def worksOnNumbers(plan: SparkPlan): Boolean =
    !isLight(plan) && !isTotal(plan) && !plan.isInstanceOf[Exchange]

  private def isLongRange(plan: SparkPlan): Boolean = plan match {
    case range: RangeExec => range.numElements >= LongRange
    case BroadheadRange(range) => range.numElements >= LongRange
    case _ => false
  }

  private def isTotal(plan: SparkPlan): Boolean = plan match {
    case aggregate: BaseAggregateExec => aggregate.groupingExpressions.isEmpty
    case _ => false
  }

  /** Whether an operator costs less than handing its rows back to Spark. */
  private def isLight(plan: SparkPlan): Boolean = plan match {
    case _: FilterExec | _: ProjectExec | _: BroadheadFilter | _: BroadheadProject => true
    case _: GenerateExec | _: SampleExec | _: BroadheadGenerate | _: BroadheadSample => true
    case _: RangeExec | _: LocalTableScanExec | _: CoalesceExec => true
    case _: BroadheadRange | _: BroadheadLocalTableScan | _: BroadheadCoalesce => true
    case _: UnionExec | _: BroadheadUnion | _: BroadheadLimit | _: BroadheadCollectLimit => true
    case join: BroadcastNestedLoopJoinExec => isProduct(join)
    case limit if handsOn(limit) => true
    case other => isScan(other)
  }

  /** Whether a join gives all pairs, which Spark makes at no more cost than it reads them. */
  private def isProduct(join: BroadcastNestedLoopJoinExec): Boolean =
    join.joinType.isInstanceOf[InnerLike] && join.condition.isEmpty &&
      join.children.forall(BroadheadBroadcastExchange.find(_).isEmpty)

  private def isScan(plan: SparkPlan): Boolean = plan match {
    case _: FileSourceScanExec | _: BroadheadFileSourceScan => true
    case _ => false
  }

  /** Whether an operator only hands rows to the user, so that what is below ends the query. */
  private def handsOn(plan: SparkPlan): Boolean = plan match {
    case _: CollectLimitExec | _: GlobalLimitExec | _: LocalLimitExec => true
    case _ => false
  }
}
