package org.apache.spark.sql.broadhead.planning

import scala.annotation.tailrec

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionSupport}
import org.apache.spark.sql.broadhead.fragment.{BroadheadRowSource, FragmentNode}
import org.apache.spark.sql.broadhead.operators.{BroadheadBroadcastExchange, BroadheadBroadcastRead, CollectOperator, FileOfRow, RowIds}
import org.apache.spark.sql.broadhead.versions.{Recoverable, VersionedSpark}
import org.apache.spark.sql.broadhead.write.{BroadheadColumnarToRow, BroadheadWriteFiles, IcebergWrites}
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution._

/**
 * Replaces the operators that the engine can run by Broadhead's.
 *
 * Runs on the whole plan: when adaptive execution prepares it, and each time it plans again. The
 * nodes of a processed plan are marked, so that decisions do not change.
 */
object FragmentRewrite extends Rule[SparkPlan] with Logging {
  private val Planned = TreeNodeTag[Unit]("broadhead.planned")
  private val NotPlanned = TreeNodeTag[String]("broadhead.notPlanned")
  private val LiteralRows = "Spark returns literal rows of a plan without a task"

  override def apply(plan: SparkPlan): SparkPlan = {
    lazy val settings = new Settings(conf)
    val refusal = refusalOf(plan, settings)
    val rewritten = if (refusal.isEmpty) rewrite(plan, settings) else plan
    rewritten.foreach { node =>
      node.setTagValue(Planned, ())
      refusal.foreach(node.setTagValue(NotPlanned, _))
    }
    rewritten
  }

  /** Whether the rule has processed a node. */
  def isPlanned(plan: SparkPlan): Boolean = plan.getTagValue(Planned).isDefined

  /**
   * Why the rule leaves a whole plan as it is.
   *
   * Commands such as SET and RESET must work with all settings; none is replaced, and their
   * results are local tables. So the settings are read last.
   */
  private def refusalOf(plan: SparkPlan, settings: => Settings): Option[String] =
    if (!plan.exists(OperatorCases.find(_).exists(!_.operator.holdsRows)))
      Some(LiteralRows)
    else if (!settings.enabled) Some(s"${Settings.Enabled.key} is false")
    else if (!BroadheadState.available) Some(BroadheadState.SwitchedOff)
    else if (plan.exists(VersionedSpark.isStateful))
      Some("queries with streaming state are not supported")
    else None

  /** Why a supported operator was not planned. Settings may have changed since then. */
  def reasonNotPlanned(operator: SparkPlan): String =
    operator.getTagValue(NotPlanned).getOrElse {
      if (OperatorCases.find(operator).exists(_.operator.holdsRows)) LiteralRows
      else "Spark did not apply Broadhead's rules to this plan"
    }

  /**
   * The plan with Broadhead's operators.
   *
   * @param kept results of aggregates that stay in Spark's phases, unsupported by the engine
   */
  @tailrec
  private def planned(
      plan: SparkPlan,
      settings: Settings,
      kept: Set[ExprId]): PlannedFragments = {
    val support = new ExpressionSupport(Capabilities.ofJar, settings)
    val merged = WholeGroups.merge(plan, support, kept)
    val found = new FragmentPlanner(merged, support, settings).plan()
    val refused = WholeGroups.inSpark(found.plan)
    if (refused.isEmpty) found else planned(plan, settings, kept ++ refused)
  }

  /** A defect must not fail the user's query: the query then runs in Spark alone. */
  private def rewrite(plan: SparkPlan, settings: Settings): SparkPlan =
    try {
      val prepared = LastShuffle.read(RowIds.aboveAggregates(FileOfRow.aboveScans(plan)))
      val fragments = planned(prepared, settings, kept = Set.empty)
      FallbackReport.report(fragments, settings)
      BroadcastSubqueries.share(LastShuffle.keptIfOurs(fragments.plan))
    } catch {
      case fallback: FallbackException => throw fallback
      case Recoverable(defect) =>
        logWarning("Broadhead could not plan a query, Spark runs it alone", defect)
        plan
    }
}

/** The rewrite without adaptive execution, and the transitions around fragments. */
object FragmentColumnarRule extends ColumnarRule {

  /** With adaptive execution the plan is a stage of a plan that was rewritten as a whole. */
  override def preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      if (plan.exists(FragmentRewrite.isPlanned)) plan else FragmentRewrite(plan)
  }

  /**
   * A row source reads rows unchanged, collect operators read columns, a broadcast is neither
   * rows nor columns, and the end of a query returns Arrow unchanged.
   */
  override def postColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      IcebergWrites.prepared(BroadheadColumnarToRow.atEnd(direct(plan)))

    private def direct(plan: SparkPlan): SparkPlan = plan.transformUp {
      case collect: CollectOperator =>
        collect.child match {
          case ColumnarToRowExec(columns) => collect.withNewChildren(Seq(columns))
          case _ => collect
        }
      case write: BroadheadWriteFiles =>
        write.child match {
          case ColumnarToRowExec(columns) => write.withNewChildren(Seq(columns))
          case _ => write
        }
      case source @ BroadheadRowSource(_: RowToColumnarExec) => source.copy(child = source.source)
      case read @ BroadheadBroadcastRead(_: RowToColumnarExec, _) =>
        read.copy(child = read.source)
      case exchange @ BroadheadBroadcastExchange(_, ColumnarToRowExec(node: FragmentNode)) =>
        exchange.copy(child = node)
    }
  }
}
