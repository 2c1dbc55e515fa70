package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.execution.SparkPlan

/**
 * An operator of Spark that the engine supports: its conversion to one of Broadhead, and the
 * properties that the planner needs. The defaults are correct for any operator.
 */
private[broadhead] trait OperatorCase[P <: SparkPlan] {

  /** Spark's name of the operator, as in `spark.broadhead.operator.(name).enabled`. */
  def name: String

  /** Why the engine cannot run the operator; none if it can. */
  def reasons(plan: P, support: ExpressionSupport): Seq[String]

  /** Broadhead's operator, over children that are nodes of fragments. */
  def convert(plan: P, children: Seq[SparkPlan]): SparkPlan

  /** Whether the operator costs less than returning its rows to Spark. */
  def isLight(plan: P): Boolean = false

  /** Whether it does more with numbers than adding them up or passing them on. */
  def worksOnNumbers(plan: P): Boolean = !isLight(plan)

  /** Whether it reads files, which the engine does faster. */
  def readsFiles: Boolean = false

  /** Whether it creates so many numbers that this takes longer than starting a task in the engine. */
  def makesManyNumbers(plan: P): Boolean = false

  /** Whether its rows are part of the plan, and many. */
  def holdsManyRows(plan: P): Boolean = false

  /** Whether it calls the user's Python functions, to which Spark would send its rows as well. */
  def callsPython: Boolean = false

  /** Whether its rows are part of the plan: Spark returns these without a task. */
  def holdsRows: Boolean = false

  /** Whether it only returns rows to the user, so that the plan below ends the query. */
  def endsQuery: Boolean = false

  /** Whether the operator above it belongs to another fragment. */
  def endsFragment: Boolean = false

  /** Whether it is useful only above operators of Broadhead. */
  def needsOurInput: Boolean = false

  /** Whether Broadhead's operator does not need the input order that Spark's requires. */
  def dropsRequiredOrder: Boolean = false

  /** The use of its input's order, as Spark's operator or as Broadhead's. */
  def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Used

  /** Whether the number of its tasks has a meaning, so that one task cannot do the work of all. */
  def fixesTasks(plan: P): Boolean = false
}

/** How an operator uses the order of its input. */
private[broadhead] sealed trait InputOrder

private[broadhead] object InputOrder {

  /** Its rows may depend on the order, or have it. */
  case object Used extends InputOrder

  /** Its rows have the same order; whether that is used depends on the operators above. */
  case object Passed extends InputOrder

  /** It returns the same rows in the same order, or in none, for any order of the input. */
  case object Ignored extends InputOrder
}

/** An operator of Spark with its case. */
private[broadhead] case class Candidate[P <: SparkPlan](plan: P, operator: OperatorCase[P]) {
  def name: String = operator.name

  def reasons(support: ExpressionSupport): Seq[String] = operator.reasons(plan, support)

  def convert(children: Seq[SparkPlan]): SparkPlan = operator.convert(plan, children)

  def isLight: Boolean = operator.isLight(plan)

  def worksOnNumbers: Boolean = operator.worksOnNumbers(plan)

  def makesManyNumbers: Boolean = operator.makesManyNumbers(plan)

  def holdsManyRows: Boolean = operator.holdsManyRows(plan)

  def fixesTasks: Boolean = operator.fixesTasks(plan)
}
