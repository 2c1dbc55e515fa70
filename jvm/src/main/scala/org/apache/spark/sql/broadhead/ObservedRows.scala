package org.apache.spark.sql.broadhead

import java.util.{Collections, IdentityHashMap, Set => JavaSet}

import org.apache.spark.sql.execution.{CollectMetricsExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.Exchange

/**
 * Rows that `Dataset.observe` counts on their way.
 *
 * Spark's operator counts what a task reads of it, and a replay would read the rows once more. So
 * what reads them in the same task, up to the next exchange, stays with Spark.
 */
private[broadhead] object ObservedRows {
  val Reason: String = "the rows it reads are observed, and a replay would count them twice"

  /** The operators of a plan that read observed rows in the same task. */
  def readers(root: SparkPlan): JavaSet[SparkPlan] = {
    val found = Collections.newSetFromMap(new IdentityHashMap[SparkPlan, java.lang.Boolean]())
    def givesObserved(plan: SparkPlan): Boolean = {
      val reads = plan.children.count(givesObserved) > 0
      if (reads) found.add(plan)
      plan match {
        case _: CollectMetricsExec => true
        case _: Exchange => false
        case _ => reads
      }
    }
    givesObserved(root)
    found
  }
}
