package org.apache.spark.sql.broadhead.planning

import java.util.{Collections, IdentityHashMap, Set => JavaSet}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{CollectMetricsExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.Exchange

/**
 * Functions that give the file which the task reads at the moment: `input_file_name` and its like.
 *
 * Spark's scan notes the file for its thread, and the functions above it look there. Rows of the
 * engine come in batches of their own, so what feeds such a function has to stay with Spark.
 */
private[broadhead] object FileOfRow {
  val Reason: String = "input_file_name() needs Spark's own scan"

  /** The operators of a plan whose tasks such a function asks for their file. */
  def askedFor(root: SparkPlan): JavaSet[SparkPlan] = {
    val found = Collections.newSetFromMap(new IdentityHashMap[SparkPlan, java.lang.Boolean]())
    def addBelow(plan: SparkPlan): Unit = plan match {
      case _: Exchange => ()
      case _ =>
        found.add(plan)
        plan.children.foreach(addBelow)
    }
    root.foreach { node =>
      if (node.expressions.exists(_.exists(asks))) node.children.foreach(addBelow)
    }
    found
  }

  private def asks(expression: Expression): Boolean = expression match {
    case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case _ => false
  }
}

/**
 * Rows that `Dataset.observe` counts on their way.
 *
 * Spark's operator counts what a task reads of it, and a replay would read the rows once more. So
 * what reads them in the same task, up to the next exchange, stays with Spark.
 */
private[broadhead] object ObservedRows {
  val Reason: String = "it reads observed rows (Dataset.observe), and a replay would count them twice"

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
