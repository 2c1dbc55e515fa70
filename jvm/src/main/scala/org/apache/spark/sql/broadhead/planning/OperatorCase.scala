package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.execution.SparkPlan

/**
 * An operator of Spark that the engine has: how it becomes one of ours, and what the planner has to
 * know of it. The defaults are right for any operator.
 */
private[broadhead] trait OperatorCase[P <: SparkPlan] {

  /** Spark's name of the operator, as in `spark.broadhead.operator.(name).enabled`. */
  def name: String

  /** Why the engine cannot run the operator: sentences, none where it can. */
  def reasons(plan: P, support: ExpressionSupport): Seq[String]

  /** Our operator, over children that are nodes of fragments. */
  def convert(plan: P, children: Seq[SparkPlan]): SparkPlan

  /** Whether the operator costs less than handing its rows back to Spark. */
  def isLight(plan: P): Boolean = false

  /** Whether it has more to do with numbers than to add them up or pass them on. */
  def worksOnNumbers(plan: P): Boolean = !isLight(plan)

  /** Whether it reads files, which the engine does faster. */
  def readsFiles: Boolean = false

  /** Whether it makes so many numbers that this takes longer than starting a task in the engine. */
  def makesManyNumbers(plan: P): Boolean = false

  /** Whether its rows stand in the plan: Spark answers these without a task. */
  def holdsRows: Boolean = false

  /** Whether it only hands rows to the user, so that what is below ends the query. */
  def endsQuery: Boolean = false

  /** Whether what is above it is another fragment. */
  def endsFragment: Boolean = false

  /** Whether it is of use only above operators of ours. */
  def needsOurInput: Boolean = false

  /** Whether ours does not need the order of its input that Spark's requires. */
  def dropsRequiredOrder: Boolean = false

  /** What becomes of the order of its input, where the operator is left to Spark or is ours. */
  def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Used

  /** Whether the number of its tasks has a meaning, so that one task cannot do the work of all. */
  def fixesTasks(plan: P): Boolean = false

  /**
   * Whether Spark's operators up to this one give each row that they keep where it stood in the
   * input; `below` says it of a child. A replay can then skip the rows that the engine has given.
   */
  def keepsOrder(plan: P, below: SparkPlan => Boolean): Boolean = false

  /** Whether other rows come where the input comes in another order. */
  def dependsOnOrder: Boolean = false
}

/** What an operator makes of the order of the rows that it reads. */
private[broadhead] sealed trait InputOrder

private[broadhead] object InputOrder {

  /** Its rows may depend on the order, or have it. */
  case object Used extends InputOrder

  /** Its rows have the same order; whether that is used depends on what is above. */
  case object Passed extends InputOrder

  /** It gives the same rows in the same order, or in none, whatever the input's is. */
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

  def fixesTasks: Boolean = operator.fixesTasks(plan)

  def keepsOrder(below: SparkPlan => Boolean): Boolean = operator.keepsOrder(plan, below)
}
