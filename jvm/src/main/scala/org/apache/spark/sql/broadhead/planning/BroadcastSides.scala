package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeLike, ReusedExchangeExec}
import org.apache.spark.sql.execution.SparkPlan

/**
 * The sides of a join that may be broadcast.
 *
 * As in Spark's `JoinSelectionHelper`, whose methods differ between versions: an object that
 * extends it calls them all.
 */
private[broadhead] object BroadcastSides {

  def left(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | RightOuter => true
    case _ => false
  }

  def right(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | _: ExistenceJoin => true
    case _ => false
  }
}

/** A broadcast of a plan with the operator that reads it. */
private[broadhead] case class BroadcastEnds(broadcast: SparkPlan, reader: SparkPlan)

private[broadhead] object BroadcastEnds {

  def of(plan: SparkPlan): Seq[BroadcastEnds] = plan.collect { case reader =>
    reader.children.filter(isBroadcast).map(BroadcastEnds(_, reader))
  }.flatten

  /** Whether a plan is a broadcast, Spark's or Broadhead's. */
  def isBroadcast(plan: SparkPlan): Boolean = plan match {
    case _: BroadcastExchangeLike | _: BroadcastQueryStageExec => true
    case ReusedExchangeExec(_, exchange) => isBroadcast(exchange)
    case _ => false
  }
}
