package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.broadhead.fragment.Candidate
import org.apache.spark.sql.broadhead.operators.{FileOfRow, RowFunction}
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeLike, ShuffleExchangeLike}

/**
 * A possible fragment.
 *
 * @param operators its operators, from the root down, all of Spark's
 * @param sources shuffles and cached tables that it reads without rows
 * @param ancestors the operators above it, from its parent up to the root of the plan
 */
private[broadhead] case class FragmentCandidate(
    operators: Seq[SparkPlan],
    sources: Seq[SparkPlan],
    ancestors: Seq[SparkPlan])

/** Estimates whether a fragment is faster than Spark, including the transfer of rows. */
private[broadhead] object FragmentCost {
  private val GainOfPython = 1000
  private val GainOfColumn = 20
  private val GainOfOperator = 60
  private val RowsOfSpark =
    "estimated slower than Spark: its rows come from Spark, not from files"

  /** Why the fragment is not faster; None if it is. */
  def reason(fragment: FragmentCandidate): Option[String] =
    if (fragment.operators.headOption.exists(_.isInstanceOf[BroadcastExchangeLike])) {
      // The join that reads a broadcast decides about the broadcast as well.
      None
    } else if (fragment.sources.isEmpty && !readsMuch(fragment.operators)) {
      // A later phase follows the phase below it.
      val merges = fragment.operators.reverse
        .collectFirst { case aggregate: BaseAggregateExec => AggregatePhases.below(aggregate) }
        .exists(_ != AggregatePhases.NoPhase)
      if (merges) None else Some(RowsOfSpark)
    } else if (fragment.operators.exists(!is(_)(_.isLight))) {
      None
    } else {
      fragment.ancestors.find(!is(_)(_.operator.endsQuery)).map { consumer =>
        "estimated slower than Spark: rows would return without being reduced to Spark's " +
          consumer.nodeName.trim
      }
    }

  /**
   * Why the operators below a broadcast are not faster; None if they are.
   *
   * The driver takes Spark's rows for a broadcast without a worker, and what Spark filters and
   * projects need not become Arrow.
   */
  def reasonBelowBroadcast(fragment: FragmentCandidate): Option[String] =
    fragment.operators match {
      case (_: BroadcastExchangeLike) +: below
          if below.nonEmpty && fragment.sources.isEmpty &&
            below.forall(plan =>
              plan.isInstanceOf[ProjectExec] || plan.isInstanceOf[FilterExec]) =>
        Some(RowsOfSpark)
      case _ => None
    }

  /**
   * Why its functions take longer than the rest of the fragment saves; None if they do not.
   *
   * Only for a scan whose rows end in one: else the operators above would leave as well.
   */
  def functionReason(
      fragment: FragmentCandidate,
      support: ExpressionSupport,
      onGpu: Boolean): Option[String] = {
    val lags = fragment.operators.flatMap(_.expressions).flatMap { expression =>
      support.lags(expression, onGpu) ++ RowFunction.lags(expression) ++ FileOfRow.lags(
        expression)
    }
    val gains = fragment.operators.map(gain).sum
    Optional.when(lags.map(_._2).sum > gains && endsInOneRow(fragment.operators))(
      s"estimated slower than Spark: ${lags.map(_._1).distinct.mkString(", ")} takes longer in " +
        "the engine than the other operators save")
  }

  private def endsInOneRow(operators: Seq[SparkPlan]): Boolean = {
    val (scans, others) = operators.partition(is(_)(_.operator.readsFiles))
    scans.nonEmpty && others.forall {
      case aggregate: BaseAggregateExec => aggregate.groupingExpressions.isEmpty
      case _: ShuffleExchangeLike => true
      case other => is(other)(_.isLight)
    }
  }

  /** Nanoseconds a row that an operator is faster than Spark's on the CPU. */
  private def gain(operator: SparkPlan): Int =
    if (is(operator)(_.operator.callsPython)) GainOfPython
    else if (is(operator)(_.operator.readsFiles)) GainOfColumn * operator.output.length
    else if (is(operator)(found => !found.isLight && found.worksOnNumbers)) GainOfOperator
    else 0

  /** Spark's generated code creates and adds up numbers faster than they can be passed on. */
  private def readsMuch(operators: Seq[SparkPlan]): Boolean =
    operators.exists(is(_)(found =>
      found.operator.readsFiles || found.operator.callsPython || found.holdsManyRows)) ||
      (operators.exists(is(_)(_.makesManyNumbers)) && operators.exists(is(_)(_.worksOnNumbers)))

  /** A property of Spark's operator, from its case. */
  private def is(plan: SparkPlan)(property: Candidate[_ <: SparkPlan] => Boolean): Boolean =
    OperatorCases.find(plan).exists(property)
}
