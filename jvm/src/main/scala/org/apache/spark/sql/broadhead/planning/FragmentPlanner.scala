package org.apache.spark.sql.broadhead.planning

import java.util.IdentityHashMap

import scala.annotation.tailrec

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.cache.CachedArrow
import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, BroadheadRowSource, Candidate, FragmentNode, InputOrder, OperatorCase, PlanReasons}
import org.apache.spark.sql.broadhead.operators.{BroadheadBroadcastExchange, BroadheadBroadcastRead, FileOfRow, ObservedRows}
import org.apache.spark.sql.broadhead.planning.adaptive.{ShuffleCounts, SmallStages}
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleExchange, BroadheadShuffleRead, ShuffleBlocks}
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.{Exchange, ShuffleExchangeExec, ShuffleExchangeLike}

/**
 * A rewritten plan.
 *
 * @param unsupported operators that stay with Spark, with the reasons
 */
private[broadhead] case class PlannedFragments(
    plan: SparkPlan,
    unsupported: Seq[(String, Seq[String])])

/** Decides which operators of a plan Broadhead replaces, and rewrites the plan. */
private[broadhead] class FragmentPlanner(
    root: SparkPlan,
    support: ExpressionSupport,
    settings: Settings) {
  private val ordering = new RequiredOrdering(support, settings)

  /** The replaceable operators, by identity: equal operators may differ in their position. */
  private val candidates = new IdentityHashMap[SparkPlan, Candidate[_ <: SparkPlan]]()
  private val unsupported = new IdentityHashMap[SparkPlan, Seq[String]]()
  private val costs = new IdentityHashMap[SparkPlan, String]()

  private lazy val counts = new ShuffleCounts(root, isAccepted, settings)
  private val askedForFile = FileOfRow.askedFor(root)
  private val readingObserved = ObservedRows.readers(root)
  private val smallStages = new SmallStages(inputs, isAccepted)

  private lazy val onGpu = BroadheadState.mayUseGpu(settings)

  /** Whether the query needs no order anywhere. */
  private val unordered = root.logicalLink.exists(!OrderTagging.asksForOrder(_))

  def plan(): PlannedFragments = {
    root.foreach { node =>
      if (!FragmentRewrite.isPlanned(node)) OperatorCases.find(node).foreach(addCandidate)
    }
    keepTogether()
    if (settings.costModel) {
      while (rejectCostly()) keepTogether()
    }
    val ordered = root.collect { case node if unsupported.containsKey(node) => node }
    val reported = ordered.map(node => candidates.get(node).name -> unsupported.get(node))
    PlannedFragments(convert(root, Nil, whole = false), reported)
  }

  private def addCandidate(candidate: Candidate[_ <: SparkPlan]): Unit = {
    candidates.put(candidate.plan, candidate)
    val switchedOff =
      if (settings.operatorEnabled(candidate.name)) Nil
      else Seq(s"switched off by spark.broadhead.operator.${candidate.name}.enabled")
    val asked = if (askedForFile.contains(candidate.plan)) Seq(FileOfRow.Reason) else Nil
    val observed = if (readingObserved.contains(candidate.plan)) Seq(ObservedRows.Reason) else Nil
    val reasons = (switchedOff ++ asked ++ observed ++ support.operatorReasons(candidate.name) ++
      candidate.reasons(support)).distinct
    if (reasons.nonEmpty) unsupported.put(candidate.plan, reasons)
  }

  private def isAccepted(plan: SparkPlan): Boolean =
    candidates.containsKey(plan) && !unsupported.containsKey(plan) && !costs.containsKey(plan)

  private def isInFragment(plan: SparkPlan): Boolean = plan match {
    case operator: BroadheadOperator => operator.isInFragment
    case other => isAccepted(other)
  }

  /** A property of Spark's operator, from its case; the default if it has none. */
  private def says(plan: SparkPlan)(property: OperatorCase[_ <: SparkPlan] => Boolean): Boolean =
    OperatorCases.find(plan).exists(found => property(found.operator))

  /** Keeps related operators together: phases of an aggregation, ends of an exchange. */
  private def keepTogether(): Unit = {
    val phases = root.collect { case aggregate: BaseAggregateExec =>
      aggregate -> AggregatePhases.below(aggregate)
    }
    val aboveScans = root.collect { case project if FileOfRow.isAboveScan(project) => project }
    val dependent = root.collect { case operator if says(operator)(_.needsOurInput) => operator }
    var changed = true
    while (changed) {
      changed = phases.exists { case (upper, below) => alignPhases(upper, below) } ||
        dependent.exists(alignInput) || aboveScans.exists(alignScan) ||
        exchanges(root, None).exists { case (exchange, reader) => alignEnds(exchange, reader) } ||
        BroadcastEnds.of(root).exists(alignBroadcast)
    }
  }

  /** Leaves a scan and the functions of its files to Spark if one of them is. */
  private def alignScan(project: SparkPlan): Boolean = {
    val scan = project.children.head
    if (isAccepted(project) == isAccepted(scan)) false
    else reject(if (isAccepted(project)) project else scan, FileOfRow.Reason)
  }

  /** Leaves a broadcast and its reader to Spark if one of them is; returns whether it did. */
  private def alignBroadcast(ends: BroadcastEnds): Boolean =
    if (!isInFragment(ends.reader)) {
      reject(ends.broadcast, "the operator that reads this broadcast stays with Spark")
    } else if (BroadheadBroadcastExchange.find(ends.broadcast).isEmpty &&
      !isAccepted(ends.broadcast)) {
      reject(ends.reader, "the broadcast that it reads stays with Spark")
    } else {
      false
    }

  /** Replaceable shuffles, each with the operator that reads it. */
  private def exchanges(
      plan: SparkPlan,
      reader: Option[SparkPlan]): Seq[(ShuffleExchangeLike, Option[SparkPlan])] = {
    val own = plan match {
      case exchange: ShuffleExchangeLike if isAccepted(exchange) => Seq(exchange -> reader)
      case _ => Nil
    }
    own ++ inputs(plan).flatMap(exchanges(_, Some(plan)))
  }

  /** Leaves an exchange to Spark if one of its ends is; returns whether it did. */
  private def alignEnds(exchange: ShuffleExchangeLike, reader: Option[SparkPlan]): Boolean =
    if (!inputs(exchange).forall(isInFragment)) {
      reject(exchange, "the operator below this shuffle stays with Spark")
    } else if (!reader.exists(isInFragment)) {
      reject(exchange, "the operator that reads this shuffle stays with Spark")
    } else {
      false
    }

  /** Leaves an operator to Spark if it would read Spark's rows; returns whether it did. */
  private def alignInput(operator: SparkPlan): Boolean = {
    val ours = operator.children.forall { child =>
      isInFragment(child) || ShuffleBlocks.find(child).isDefined
    }
    !ours && reject(operator, "the operator below it stays with Spark")
  }

  /** Leaves one of two phases to Spark if the other is; returns whether it did. */
  private def alignPhases(upper: BaseAggregateExec, below: AggregatePhases.Source): Boolean =
    below match {
      case AggregatePhases.NoPhase => false
      case AggregatePhases.Unknown(source) =>
        reject(upper, s"it merges buffers of Spark's ${source.nodeName}")
      case AggregatePhases.Phase(lower) if !isInFragment(lower) =>
        reject(upper, "an earlier phase of the aggregation stays with Spark")
      case AggregatePhases.Phase(lower) if !isInFragment(upper) =>
        reject(lower, "a later phase of the aggregation stays with Spark")
      case _ => false
    }

  private def reject(plan: SparkPlan, reason: String): Boolean = {
    val rejects = isAccepted(plan)
    if (rejects) unsupported.put(plan, Seq(reason))
    rejects
  }

  /** Leaves the fragments to Spark that are estimated slower; returns whether there were any. */
  private def rejectCostly(): Boolean = {
    val costly = for {
      fragment <- fragmentsOf(root, Nil)
      fresh = fragment.operators.filter(isAccepted)
      if fresh.length == fragment.operators.length
      (operators, reason) <- FragmentCost
        .reason(fragment)
        .orElse(FragmentCost.functionReason(fragment, support, onGpu))
        .map(fresh -> _)
        .orElse(FragmentCost.reasonBelowBroadcast(fragment).map(fresh.tail -> _))
    } yield operators -> reason
    costly.foreach { case (operators, reason) => operators.foreach(costs.put(_, reason)) }
    costly.nonEmpty
  }

  private def fragmentsOf(plan: SparkPlan, ancestors: Seq[SparkPlan]): Seq[FragmentCandidate] = {
    val isRoot =
      isInFragment(plan) && (endsFragment(plan) || !ancestors.headOption.exists(isInFragment))
    val own =
      if (isRoot) Seq(FragmentCandidate(operatorsFrom(plan), sourcesOf(plan), ancestors)) else Nil
    own ++ inputs(plan).flatMap(fragmentsOf(_, plan +: ancestors))
  }

  /** Whether the operator above one of Broadhead's belongs to another fragment. */
  private def endsFragment(plan: SparkPlan): Boolean = plan match {
    case operator: BroadheadOperator => operator.endsFragment
    case other => says(other)(_.endsFragment)
  }

  private def continues(plan: SparkPlan): Boolean = isInFragment(plan) && !endsFragment(plan)

  private def operatorsFrom(plan: SparkPlan): Seq[SparkPlan] =
    plan +: inputs(plan).filter(continues).flatMap(operatorsFrom)

  /** Data of the engine that a fragment reads: shuffles that are or will be Broadhead's. */
  private def sourcesOf(plan: SparkPlan): Seq[SparkPlan] = {
    val (inner, outer) = inputs(plan).partition(continues)
    inner.flatMap(sourcesOf) ++
      outer.filter { source =>
        !BroadcastEnds.isBroadcast(source) &&
        (isInFragment(source) || ShuffleBlocks.find(source).isDefined ||
          CachedArrow.isGivenBy(source))
      }
  }

  /**
   * The input of the operator once it is replaced: some then need no sort below them.
   *
   * A sort by more than such an operator requires comes from the query, and decides for example
   * which row is the first of a group.
   */
  private def inputs(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case _ if isAccepted(plan) && says(plan)(_.dropsRequiredOrder) =>
      plan.children.zip(plan.requiredChildOrdering).map {
        case (SortExec(order, false, unsorted, _), required)
            if SortOrder.orderingSatisfies(required, order) =>
          unsorted
        case (other, _) => other
      }
    case other => other.children
  }

  /**
   * The plan with Broadhead's operators.
   *
   * @param whole whether one task reads all partitions of the input
   */
  private def convert(plan: SparkPlan, ancestors: Seq[SparkPlan], whole: Boolean): SparkPlan =
    plan match {
      case exchange: ShuffleExchangeExec if whole && isAccepted(exchange) =>
        convert(exchange.child, exchange +: ancestors, whole)
      case read: BroadheadShuffleRead if whole => read.copy(whole = true)
      case _ =>
        val below = whole || startsWhole(plan, ancestors)
        val children = inputs(plan).map(convert(_, plan +: ancestors, below))
        if (isAccepted(plan)) accept(plan, children, ancestors, below) else keep(plan, children)
    }

  /** Whether a fragment that one task runs best starts here, from the top. */
  private def startsWhole(plan: SparkPlan, ancestors: Seq[SparkPlan]): Boolean =
    isAccepted(plan) && (endsFragment(plan) || !ancestors.headOption.exists(isInFragment)) &&
      inputs(plan).exists(_.exists(isAccepted)) && inputs(plan).forall(smallStages.isSmall)

  private def accept(
      plan: SparkPlan,
      children: Seq[SparkPlan],
      ancestors: Seq[SparkPlan],
      whole: Boolean): SparkPlan = {
    val below = children.map(asInput(_, whole))
    val operator = candidates.get(plan).convert(below) match {
      case exchange: BroadheadShuffleExchange =>
        exchange.copy(outputPartitioning = counts.of(plan.asInstanceOf[ShuffleExchangeExec]))
      case other => other
    }
    operator.copyTagsFrom(plan)
    val ordered = ensureOrder(operator, below)
    if (losesOrder(plan, ordered, ancestors)) ordering.sort(ordered, plan.outputOrdering)
    else ordered
  }

  /** An operator of Broadhead, which may be several, with the order that each of them requires. */
  private def ensureOrder(operator: SparkPlan, below: Seq[SparkPlan]): SparkPlan =
    if (below.exists(_ eq operator)) operator
    else ordering.ensure(operator.mapChildren(ensureOrder(_, below)))

  private def keep(plan: SparkPlan, children: Seq[SparkPlan]): SparkPlan = {
    val kept =
      if (children == plan.children) plan else ordering.ensure(plan.withNewChildren(children))
    val reasons = Option(unsupported.get(plan)).getOrElse(Option(costs.get(plan)).toSeq)
    if (reasons.nonEmpty) PlanReasons.set(kept, reasons)
    kept
  }

  /**
   * Whether an operator of Spark returned its rows in an order that Broadhead's does not and that
   * an operator above relies on. The plan need not show it: Spark removes sorts of sorted input.
   */
  private def losesOrder(
      plan: SparkPlan,
      operator: SparkPlan,
      ancestors: Seq[SparkPlan]): Boolean =
    !ordering.satisfies(operator, plan.outputOrdering) && isOrderUsed(ancestors)

  @tailrec
  private def isOrderUsed(ancestors: Seq[SparkPlan]): Boolean =
    ancestors.headOption.map(inputOrder) match {
      case None => !unordered
      case Some(InputOrder.Used) => true
      case Some(InputOrder.Ignored) => false
      case Some(InputOrder.Passed) => isOrderUsed(ancestors.tail)
    }

  private def inputOrder(plan: SparkPlan): InputOrder = plan match {
    case operator: BroadheadOperator => operator.inputOrder
    case _: Exchange => InputOrder.Ignored
    case other =>
      OperatorCases
        .find(other)
        .fold[InputOrder](InputOrder.Used)(_.operator.inputOrder(isAccepted(other)))
  }

  private def asInput(plan: SparkPlan, whole: Boolean): SparkPlan = plan match {
    case node: FragmentNode if !endsFragment(node) => node
    case broadcast if BroadheadBroadcastExchange.find(broadcast).isDefined =>
      BroadheadBroadcastRead(broadcast)
    case shuffle if ShuffleBlocks.find(shuffle).isDefined => BroadheadShuffleRead(shuffle, whole)
    case other => BroadheadRowSource(other)
  }
}
