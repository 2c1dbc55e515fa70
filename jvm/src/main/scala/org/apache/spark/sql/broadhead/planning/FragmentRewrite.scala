package org.apache.spark.sql.broadhead.planning

import scala.util.control.NonFatal

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.broadcast.{BroadheadBroadcastExchange, BroadheadBroadcastRead}
import org.apache.spark.sql.broadhead.encoding.Capabilities
import org.apache.spark.sql.broadhead.operators.{BroadheadRowSource, CollectOperator, FragmentNode}
import org.apache.spark.sql.broadhead.results.BroadheadColumnarToRow
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution._

/**
 * Replaces the operators that the engine can run by ours.
 *
 * Runs on the whole plan: when adaptive execution prepares it, and each time it plans again. The
 * nodes of a plan that went through are marked, so that what was once decided stays.
 */
object FragmentRewrite extends Rule[SparkPlan] with Logging {
  private val Planned = TreeNodeTag[Unit]("broadhead.planned")
  private val Reasons = TreeNodeTag[Seq[String]]("broadhead.reasons")

  override def apply(plan: SparkPlan): SparkPlan = {
    val rewritten = if (applies(plan)) rewrite(plan) else plan
    rewritten.foreach(_.setTagValue(Planned, ()))
    rewritten
  }

  /** Whether a node has been through the rule. */
  def isPlanned(plan: SparkPlan): Boolean = plan.getTagValue(Planned).isDefined

  /** Why an operator was left to Spark. */
  def reasonsOf(plan: SparkPlan): Seq[String] = plan.getTagValue(Reasons).getOrElse(Nil)

  private[broadhead] def setReasons(plan: SparkPlan, reasons: Seq[String]): Unit =
    plan.setTagValue(Reasons, reasons)

  /**
   * Commands such as SET and RESET must work whatever the settings are; none is ours, and their
   * answers are local tables.
   */
  private def applies(plan: SparkPlan): Boolean =
    plan.exists(OperatorCases.find(_).exists(!_.operator.holdsRows)) &&
      new Settings(conf).enabled && BroadheadState.available && !isStreaming(plan)

  private def isStreaming(plan: SparkPlan): Boolean =
    plan.exists(_.logicalLink.exists(_.isStreaming))

  /** Why an operator that could be ours was not looked at. */
  def reasonNotPlanned(operator: SparkPlan): String =
    if (!new Settings(operator.conf).enabled) "spark.broadhead.enabled is false"
    else if (isStreaming(operator)) "streaming queries are not supported"
    else if (OperatorCases.find(operator).exists(_.operator.holdsRows))
      "Spark returns literal rows of a plan without a task"
    else "Spark did not apply Broadhead's rules to this plan"

  /** A defect of ours must not fail the user's query: it then runs as if we were not there. */
  private def rewrite(plan: SparkPlan): SparkPlan = {
    val settings = new Settings(conf)
    try {
      val planned = new FragmentPlanner(plan, Capabilities.ofJar, settings).plan()
      FallbackReport.report(planned, settings)
      BroadcastSubqueries.share(planned.plan)
    } catch {
      case fallback: FallbackException => throw fallback
      case defect @ (NonFatal(_) | _: LinkageError) =>
        logWarning("Broadhead could not plan a query, Spark runs it alone", defect)
        plan
    }
  }
}

/** The rewrite where adaptive execution is off, and the transitions around fragments. */
object FragmentColumnarRule extends ColumnarRule {

  /** With adaptive execution the plan is a stage of one that was rewritten as a whole. */
  override def preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      if (plan.exists(FragmentRewrite.isPlanned)) plan else FragmentRewrite(plan)
  }

  /**
   * A row source takes rows as they are, what collects a fragment takes columns, a broadcast is
   * neither rows nor columns, and the end of a query gives Arrow as it is.
   */
  override def postColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      BroadheadColumnarToRow.atEnd(direct(plan))

    private def direct(plan: SparkPlan): SparkPlan = plan.transformUp {
      case collect: CollectOperator =>
        collect.child match {
          case ColumnarToRowExec(columns) => collect.withNewChildren(Seq(columns))
          case _ => collect
        }
      case source @ BroadheadRowSource(_: RowToColumnarExec) => source.copy(child = source.source)
      case read @ BroadheadBroadcastRead(_: RowToColumnarExec, _) =>
        read.copy(child = read.source)
      case exchange @ BroadheadBroadcastExchange(_, ColumnarToRowExec(node: FragmentNode)) =>
        exchange.copy(child = node)
    }
  }
}
