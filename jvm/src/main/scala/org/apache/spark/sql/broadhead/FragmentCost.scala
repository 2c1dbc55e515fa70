package org.apache.spark.sql.broadhead

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec

/**
 * A possible fragment.
 *
 * @param operators its operators, from the root down; each one of Spark's or already one of ours
 * @param ancestors the operators above it, from its parent up to the root of the plan
 */
private[broadhead] case class FragmentCandidate(
    operators: Seq[SparkPlan],
    ancestors: Seq[SparkPlan])

/** Decides whether a fragment would pay for the way to the engine and back. */
private[broadhead] object FragmentCost {

  /** Why the fragment does not pay; none when it does. */
  def reason(fragment: FragmentCandidate): Option[String] =
    if (!fragment.operators.exists(isScan)) {
      // A later phase goes where the phase below it goes.
      val merges = fragment.operators.reverse
        .collectFirst { case aggregate: BaseAggregateExec => AggregatePhases.below(aggregate) }
        .exists(_ != AggregatePhases.NoPhase)
      if (merges) None else Some("not worth sending Spark's rows to the engine without a scan")
    } else if (fragment.operators.exists(_.isInstanceOf[BaseAggregateExec])) {
      None
    } else {
      fragment.ancestors.find(!handsOn(_)).map { consumer =>
        "not worth it without an aggregate, since the rows go back to Spark's " +
          consumer.nodeName.trim
      }
    }

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
