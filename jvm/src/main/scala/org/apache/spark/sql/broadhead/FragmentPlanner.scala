package org.apache.spark.sql.broadhead

import java.util.IdentityHashMap

import scala.annotation.tailrec

import io.broadhead.Settings

import org.apache.spark.sql.catalyst.plans.logical.Sort
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.{BaseAggregateExec, SortAggregateExec}
import org.apache.spark.sql.execution.exchange.Exchange

/**
 * A rewritten plan.
 *
 * @param lacks operators left to Spark because the engine lacks something, with the reasons
 */
private[broadhead] case class PlannedFragments(plan: SparkPlan, lacks: Seq[(String, Seq[String])])

/** Decides which operators of a plan become ours, and puts those into the plan. */
private[broadhead] class FragmentPlanner(
    root: SparkPlan,
    capabilities: Capabilities,
    settings: Settings) {
  private val support = new ExpressionSupport(capabilities, settings)

  /** The operators that could be ours, by identity: equal operators may differ in their place. */
  private val candidates = new IdentityHashMap[SparkPlan, Candidate[_ <: SparkPlan]]()
  private val lacks = new IdentityHashMap[SparkPlan, Seq[String]]()
  private val costs = new IdentityHashMap[SparkPlan, String]()

  /** Whether the query asks for no order anywhere. */
  private val unordered =
    root.logicalLink.exists(logical => !logical.exists(_.isInstanceOf[Sort]))

  def plan(): PlannedFragments = {
    root.foreach { node =>
      if (!FragmentRewrite.isPlanned(node)) OperatorCases.find(node).foreach(addCandidate)
    }
    keepPhasesTogether()
    if (settings.costModel) {
      while (rejectCostly()) keepPhasesTogether()
    }
    val ordered = root.collect { case node if lacks.containsKey(node) => node }
    val reported = ordered.map(node => candidates.get(node).name -> lacks.get(node))
    PlannedFragments(convert(root, Nil), reported)
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
  private def keepPhasesTogether(): Unit = {
    val links = root.collect { case aggregate: BaseAggregateExec =>
      aggregate -> AggregatePhases.below(aggregate)
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
  private def rejectCostly(): Boolean = {
    val costly = for {
      fragment <- fragmentsOf(root, Nil)
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
    own ++ inputs(plan).flatMap(fragmentsOf(_, plan +: ancestors))
  }

  private def operatorsFrom(plan: SparkPlan): Seq[SparkPlan] =
    plan +: inputs(plan).filter(isInFragment).flatMap(operatorsFrom)

  /** What the operator reads once it is ours: an aggregate then needs no sort below it. */
  private def inputs(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case aggregate: SortAggregateExec if isAccepted(aggregate) =>
      aggregate.child match {
        case SortExec(_, false, unsorted, _) => Seq(unsorted)
        case other => Seq(other)
      }
    case other => other.children
  }

  private def convert(plan: SparkPlan, ancestors: Seq[SparkPlan]): SparkPlan = {
    val children = inputs(plan).map(convert(_, plan +: ancestors))
    if (isAccepted(plan)) {
      val operator = candidates.get(plan).convert(asInput(children.head))
      operator.copyTagsFrom(plan)
      if (losesOrder(plan, ancestors)) sorted(operator, plan) else operator
    } else {
      val kept = if (children == plan.children) plan else plan.withNewChildren(children)
      val reasons = Option(lacks.get(plan)).getOrElse(Option(costs.get(plan)).toSeq)
      if (reasons.nonEmpty) FragmentRewrite.setReasons(kept, reasons)
      kept
    }
  }

  /**
   * Whether an aggregate gave its groups in an order that something above relies on. That need
   * not show in the plan: Spark removes a sort of what is sorted already.
   */
  private def losesOrder(plan: SparkPlan, ancestors: Seq[SparkPlan]): Boolean =
    plan.isInstanceOf[SortAggregateExec] && plan.outputOrdering.nonEmpty && isOrderUsed(ancestors)

  @tailrec
  private def isOrderUsed(ancestors: Seq[SparkPlan]): Boolean = ancestors match {
    case Nil => !unordered
    case (_: Exchange | _: SortExec | _: TakeOrderedAndProjectExec) +: _ => false
    case (aggregate: BaseAggregateExec) +: _ if isInFragment(aggregate) => false
    case (_: ProjectExec | _: FilterExec) +: rest => isOrderUsed(rest)
    case _ => true
  }

  private def sorted(operator: SparkPlan, replaced: SparkPlan): SparkPlan = {
    val sort = SortExec(replaced.outputOrdering, global = false, operator)
    sort.copyTagsFrom(replaced)
    sort
  }

  private def asInput(plan: SparkPlan): SparkPlan = plan match {
    case node: FragmentNode => node
    case other => BroadheadRowSource(other)
  }
}
