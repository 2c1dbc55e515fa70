package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.BroadcastExchangeLike

/**
 * A possible fragment.
 *
 * @param operators its operators, from the root down, all of Spark's
 * @param sources shuffles and cached tables that it reads without the way through rows
 * @param ancestors the operators above it, from its parent up to the root of the plan
 */
private[broadhead] case class FragmentCandidate(
    operators: Seq[SparkPlan],
    sources: Seq[SparkPlan],
    ancestors: Seq[SparkPlan])

/** Decides whether a fragment would pay for the way to the engine and back. */
private[broadhead] object FragmentCost {

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
      if (merges) None else Some("estimated slower than Spark: its rows are Spark's")
    } else if (fragment.operators.exists(!is(_)(_.isLight))) {
      None
    } else {
      fragment.ancestors.find(!is(_)(_.operator.endsQuery)).map { consumer =>
        "estimated slower than Spark: rows would return without being reduced to Spark's " +
          consumer.nodeName.trim
      }
    }

  /** Spark's generated code makes numbers, and adds them up, faster than they can be handed on. */
  private def readsMuch(operators: Seq[SparkPlan]): Boolean =
    operators.exists(is(_)(_.operator.readsFiles)) ||
      (operators.exists(is(_)(_.makesManyNumbers)) && operators.exists(is(_)(_.worksOnNumbers)))

  /** What the case of an operator of Spark says. */
  private def is(plan: SparkPlan)(property: Candidate[_ <: SparkPlan] => Boolean): Boolean =
    OperatorCases.find(plan).exists(property)
}
