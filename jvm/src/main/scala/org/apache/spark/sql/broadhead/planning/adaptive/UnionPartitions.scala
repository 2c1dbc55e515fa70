package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.operators.BroadheadUnion
import org.apache.spark.sql.broadhead.planning.Guarded
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.execution.{SparkPlan, UnionExec}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, AQEShuffleReadRule, CoalesceShufflePartitions}
import org.apache.spark.sql.execution.exchange.ShuffleOrigin

/**
 * Coalesces the partitions of the shuffles below unions of the engine, by Spark's own rule.
 *
 * That rule looks below each input of a union alone, but only below Spark's: so it gets the inputs
 * in one of those.
 */
case class UnionPartitions(coalescing: CoalesceShufflePartitions) extends AQEShuffleReadRule {

  override val supportedShuffleOrigins: Seq[ShuffleOrigin] = coalescing.supportedShuffleOrigins

  override def apply(plan: SparkPlan): SparkPlan = Guarded(ruleName, plan) {
    plan.transformUp { case union: BroadheadUnion if hasOwnTasks(union) => coalesced(union) }
  }

  /** The union; inputs whose partitions another rule has chosen keep them. */
  private def coalesced(union: BroadheadUnion): SparkPlan = {
    val open = union.children.filterNot(isChosen)
    if (open.isEmpty) {
      union
    } else {
      val found = coalescing(UnionExec(open)).children.iterator
      union.mapChildren(child => if (isChosen(child)) child else found.next())
    }
  }

  /** Where the inputs have the same partitioning, their partitions must stay the same. */
  private def hasOwnTasks(union: BroadheadUnion): Boolean =
    union.outputPartitioning.isInstanceOf[UnknownPartitioning]

  private def isChosen(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[AQEShuffleReadExec])
}
