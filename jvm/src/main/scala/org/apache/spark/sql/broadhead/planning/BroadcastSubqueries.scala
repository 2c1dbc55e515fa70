package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.fragment.FragmentNode
import org.apache.spark.sql.broadhead.operators.BroadheadBroadcastExchange
import org.apache.spark.sql.broadhead.versions.{CompiledSpark, Optional}
import org.apache.spark.sql.broadhead.write.BroadheadColumnarToRow
import org.apache.spark.sql.catalyst.expressions.{BindReferences, DynamicPruningExpression, Expression}
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec
import org.apache.spark.sql.execution.joins.{HashedRelationBroadcastMode, HashJoin}

/**
 * Lets dynamic partition pruning read the broadcast of a join of Broadhead.
 *
 * Spark looks for its own joins. With adaptive execution it would drop the pruning if it finds
 * none, and without it would broadcast the same rows a second time.
 */
private[broadhead] object BroadcastSubqueries {

  /** Most plans prune nothing: plans of broadcasts are only compared for those that do. */
  def share(plan: SparkPlan): SparkPlan =
    if (plan.containsPattern(TreePattern.DYNAMIC_PRUNING_EXPRESSION)) sharePruned(plan) else plan

  private def sharePruned(plan: SparkPlan): SparkPlan = {
    val made = BroadcastEnds.of(plan).map(_.broadcast).flatMap { broadcast =>
      BroadheadBroadcastExchange.find(broadcast).map(_ => withoutTransitions(broadcast))
    }
    if (made.isEmpty) plan else new BroadcastSubqueries(made).share(plan)
  }

  private def withoutTransitions(plan: SparkPlan): SparkPlan = plan.transformUp {
    case transition: ColumnarToRowTransition => transition.child
    case RowToColumnarExec(child) => child
    case WholeStageCodegenExec(child) => child
    case InputAdapter(child) => child
  }
}

/** @param made the broadcasts of Broadhead in a plan */
private class BroadcastSubqueries(made: Seq[SparkPlan]) {
  private val canonical = made.map(_.canonicalized).toSet

  def share(plan: SparkPlan): SparkPlan = plan.transformAllExpressions {
    case DynamicPruningExpression(in @ InSubqueryExec(_, subquery, _, _, _, _)) =>
      shared(subquery).fold(DynamicPruningExpression(in)) { own =>
        DynamicPruningExpression(in.copy(plan = own))
      }
  }

  private def shared(subquery: BaseSubqueryExec): Option[BaseSubqueryExec] = subquery match {
    case adaptive: SubqueryAdaptiveBroadcastExec if !projects(adaptive) => ofAdaptive(adaptive)
    case broadcast: SubqueryBroadcastExec => ofPlanned(broadcast)
    case _ => None
  }

  /**
   * Spark 4.3 may request other values than the keys, with a parameter that other versions do not
   * have.
   */
  private def projects(subquery: SubqueryAdaptiveBroadcastExec): Boolean =
    subquery.productIterator.exists {
      case Some(_) => true
      case _ => false
    }

  /** Like Spark's own rule for its joins: both become the same query stage. */
  private def ofAdaptive(subquery: SubqueryAdaptiveBroadcastExec): Option[BaseSubqueryExec] =
    subquery.child match {
      case adaptive: AdaptiveSparkPlanExec
          if subquery.conf.exchangeReuseEnabled && subquery.buildKeys.nonEmpty =>
        val build = adaptive.executedPlan
        val exchange = BroadheadBroadcastExchange(modeOf(subquery.buildKeys, build), build)
        Optional.when(canonical.contains(exchange.canonicalized)) {
          build.logicalLink.foreach(exchange.setLogicalLink)
          CompiledSpark.broadcastSubquery(subquery, adaptive.copy(inputPlan = exchange))
        }
      case _ => None
    }

  private def modeOf(keys: Seq[Expression], build: SparkPlan) = HashedRelationBroadcastMode(
    BindReferences.bindReferences(HashJoin.rewriteKeyExpr(keys), build.output))

  /** Spark then recognises the two as the same. */
  private def ofPlanned(subquery: SubqueryBroadcastExec): Option[BaseSubqueryExec] =
    subquery.child match {
      case exchange: BroadcastExchangeExec =>
        val own = BroadheadBroadcastExchange(exchange.mode, withoutTopTransition(exchange.child))
        val bare = BroadcastSubqueries.withoutTransitions(own)
        Optional.when(canonical.contains(bare.canonicalized)) {
          own.copyTagsFrom(exchange)
          subquery.copy(child = own)
        }
      case _ => None
    }

  private def withoutTopTransition(plan: SparkPlan): SparkPlan = plan match {
    case WholeStageCodegenExec(ColumnarToRowExec(InputAdapter(node: FragmentNode))) => node
    case ColumnarToRowExec(node: FragmentNode) => node
    case BroadheadColumnarToRow(node: FragmentNode) => node
    case other => other
  }
}
