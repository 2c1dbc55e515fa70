package org.apache.spark.sql.broadhead

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeLike, ReusedExchangeExec}

/** A broadcast of a plan with the operator that reads it. */
private[broadhead] case class BroadcastEnds(broadcast: SparkPlan, reader: SparkPlan)

private[broadhead] object BroadcastEnds {

  def of(plan: SparkPlan): Seq[BroadcastEnds] = plan.collect { case reader =>
    reader.children.filter(isBroadcast).map(BroadcastEnds(_, reader))
  }.flatten

  /** Whether a plan gives a broadcast, whoever made it. */
  def isBroadcast(plan: SparkPlan): Boolean = plan match {
    case _: BroadcastExchangeLike | _: BroadcastQueryStageExec => true
    case ReusedExchangeExec(_, exchange) => isBroadcast(exchange)
    case _ => false
  }
}
