package org.apache.spark.sql.broadhead.planning

import java.util.{Collections, IdentityHashMap, Set => JavaSet}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{CollectMetricsExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.Exchange

/**
 * Functions of the file that the task reads at the moment, such as `input_file_name`.
 *
 * Spark's scan stores the file for its thread, and the functions above it read it there. Batches
 * of the engine may combine rows of several files, so the operators below such a function have to
 * stay with Spark.
 */
private[broadhead] object FileOfRow {
  val Reason: String = "input_file_name() needs Spark's own scan"

  /** The operators of a plan below such a function, in the same task. */
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
 * Rows that `Dataset.observe` counts.
 *
 * Spark's operator counts the rows that a task reads of it, and a replay would read the rows once
 * more. So the operators above it in the same task, up to the next exchange, stay with Spark.
 */
private[broadhead] object ObservedRows {
  val Reason: String =
    "it reads observed rows (Dataset.observe), and a replay would count them twice"

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
