package org.apache.spark.sql.broadhead

import java.util.IdentityHashMap

import io.broadhead.Settings

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec

/**
 * A rewritten plan.
 *
 * @param lacks operators left to Spark because the engine lacks something, with the reasons
 */
private[broadhead] case class PlannedFragments(plan: SparkPlan, lacks: Seq[(String, Seq[String])])

/** Decides which operators of a plan become ours, and puts those into the plan. */
private[broadhead] class FragmentPlanner(capabilities: Capabilities, settings: Settings) {
  private val support = new ExpressionSupport(capabilities, settings)

  /** The operators that could be ours, by identity: equal operators may differ in their place. */
  private val candidates = new IdentityHashMap[SparkPlan, Candidate[_ <: SparkPlan]]()
  private val lacks = new IdentityHashMap[SparkPlan, Seq[String]]()
  private val costs = new IdentityHashMap[SparkPlan, String]()

  def plan(plan: SparkPlan): PlannedFragments = {
    plan.foreach { node =>
      if (!FragmentRewrite.isPlanned(node)) OperatorCases.find(node).foreach(addCandidate)
    }
    keepPhasesTogether(plan)
    if (settings.costModel) {
      while (rejectCostly(plan)) keepPhasesTogether(plan)
    }
    val ordered = plan.collect { case node if lacks.containsKey(node) => node }
    val reported = ordered.map(node => candidates.get(node).name -> lacks.get(node))
    PlannedFragments(convert(plan), reported)
  }

  private def addCandidate(candidate: Candidate[_ <: SparkPlan]): Unit = {
    candidates.put(candidate.plan, candidate)
    val switchedOff =
      if (settings.operatorEnabled(candidate.name)) Nil
      else Seq(s"switched off by spark.broadhead.operator.${candidate.name}.enabled")
    val reasons = (switchedOff ++ candidate.reasons(support)).distinct
    if (reasons.nonEmpty) lacks.put(candidate.plan, reasons)
  }

  private def isAccepted(plan: SparkPlan): Boolean =
    candidates.containsKey(plan) && !lacks.containsKey(plan) && !costs.containsKey(plan)

  private def isInFragment(plan: SparkPlan): Boolean =
    plan.isInstanceOf[FragmentOperator] || isAccepted(plan)

  /** Leaves all phases of an aggregation to Spark when one of them is. */
  private def keepPhasesTogether(plan: SparkPlan): Unit = {
    val links = plan.collect {
      case aggregate: BaseAggregateExec => aggregate -> AggregatePhases.below(aggregate)
    }
    var changed = true
    while (changed) {
      changed = links.exists { case (upper, below) => alignPhases(upper, below) }
    }
  }

  /** Takes one of two phases out when the other is with Spark; says whether it did. */
  private def alignPhases(upper: BaseAggregateExec, below: AggregatePhases.Source): Boolean =
    below match {
      case AggregatePhases.NoPhase => false
      case AggregatePhases.Unknown(source) =>
        reject(upper, s"it merges what Spark's ${source.nodeName} gives")
      case AggregatePhases.Phase(lower) if !isInFragment(lower) =>
        reject(upper, "an earlier phase of the aggregation is left to Spark")
      case AggregatePhases.Phase(lower) if !isInFragment(upper) =>
        reject(lower, "a later phase of the aggregation is left to Spark")
      case _ => false
    }

  private def reject(plan: SparkPlan, reason: String): Boolean = {
    val rejects = isAccepted(plan)
    if (rejects) lacks.put(plan, Seq(reason))
    rejects
  }

  /** Leaves the fragments to Spark that do not pay; says whether there were any. */
  private def rejectCostly(plan: SparkPlan): Boolean = {
    val costly = for {
      fragment <- fragmentsOf(plan, Nil)
      fresh = fragment.operators.filter(isAccepted)
      if fresh.length == fragment.operators.length
      reason <- FragmentCost.reason(fragment)
    } yield fresh -> reason
    costly.foreach { case (operators, reason) => operators.foreach(costs.put(_, reason)) }
    costly.nonEmpty
  }

  private def fragmentsOf(plan: SparkPlan, ancestors: Seq[SparkPlan]): Seq[FragmentCandidate] = {
    val isRoot = isInFragment(plan) && !ancestors.headOption.exists(isInFragment)
    val own = if (isRoot) Seq(FragmentCandidate(operatorsFrom(plan), ancestors)) else Nil
    own ++ plan.children.flatMap(fragmentsOf(_, plan +: ancestors))
  }

  private def operatorsFrom(plan: SparkPlan): Seq[SparkPlan] =
    plan +: plan.children.filter(isInFragment).flatMap(operatorsFrom)

  private def convert(plan: SparkPlan): SparkPlan = {
    val children = plan.children.map(convert)
    if (isAccepted(plan)) {
      val operator = candidates.get(plan).convert(asInput(children.head))
      operator.copyTagsFrom(plan)
      operator
    } else {
      val kept = if (children == plan.children) plan else plan.withNewChildren(children)
      val reasons = Option(lacks.get(plan)).getOrElse(Option(costs.get(plan)).toSeq)
      if (reasons.nonEmpty) FragmentRewrite.setReasons(kept, reasons)
      kept
    }
  }

  private def asInput(plan: SparkPlan): SparkPlan = plan match {
    case node: FragmentNode => node
    case other => BroadheadRowSource(other)
  }
}
