package org.apache.spark.sql.broadhead.operators

import java.util.{Collections, IdentityHashMap, Set => JavaSet}

import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{CollectMetricsExec, FileSourceScanExec, FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.python.{ArrowEvalPythonExec, BatchEvalPythonExec, EvalPythonExec}

/**
 * Functions of the file that the task reads at the moment, such as `input_file_name`.
 *
 * Spark's scan stores the file for its thread, and the functions above it read it there. In a
 * projection directly above a scan they are columns of it. Elsewhere batches of the engine may
 * combine rows of several files, so the operators below such a function have to stay with Spark.
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
      if (asks(node) && !isAboveScan(node)) node.children.foreach(addBelow)
    }
    found
  }

  private def asks(plan: SparkPlan): Boolean = plan.expressions.exists(_.exists(isFunction))

  private def isFunction(expression: Expression): Boolean = expression match {
    case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case _ => false
  }

  /** The functions whose columns Spark makes faster, with nanoseconds a row on the CPU. */
  def lags(expression: Expression): Seq[(String, Int)] = expression.collect {
    case call: InputFileName => call.prettyName -> 25
    case call if isFunction(call) => call.prettyName -> 5
  }

  /** Whether an operator has such functions as columns of the scan below it. */
  def isAboveScan(plan: SparkPlan): Boolean = plan match {
    case ProjectExec(_, scan: FileSourceScanExec) => asks(plan) && ScanFormat.of(scan).isDefined
    case _ => false
  }

  /** A projection without the functions, and the columns that a scan has for them. */
  def split(projections: Seq[NamedExpression]): (Seq[NamedExpression], Seq[Alias]) = {
    val columns = projections
      .flatMap(_.collect { case call if isFunction(call) => call })
      .distinct
      .map(call => Alias(call, call.prettyName)())
    val read = projections.map { projection =>
      projection
        .transform {
          case call if isFunction(call) => columns.find(_.child == call).get.toAttribute
        }
        .asInstanceOf[NamedExpression]
    }
    (read, columns)
  }

  /** The plan with these functions in a projection directly above the scan, where there is one. */
  def aboveScans(root: SparkPlan): SparkPlan = root.transformUp {
    case plan @ ProjectExec(projections, child) if asks(plan) && !isAboveScan(plan) =>
      val (read, columns) = split(projections)
      withColumns(child, columns).fold[SparkPlan](plan)(below =>
        like(plan, ProjectExec(read, below)))
    case plan @ FilterExec(condition, child) if asks(plan) =>
      val (read, columns) = split(Seq(Alias(condition, "condition")()))
      withColumns(child, columns).fold[SparkPlan](plan) { below =>
        val filter = like(plan, FilterExec(read.head.children.head, below))
        like(plan, ProjectExec(plan.output, filter))
      }
    case plan: BatchEvalPythonExec if asks(plan) =>
      called(plan, plan.udfs) { (udfs, below) => plan.copy(udfs = udfs, child = below) }
    case plan: ArrowEvalPythonExec if asks(plan) =>
      called(plan, plan.udfs) { (udfs, below) => plan.copy(udfs = udfs, child = below) }
  }

  /** Python functions that take columns of the scan instead of calls. */
  private def called(plan: EvalPythonExec, udfs: Seq[PythonUDF])(
      over: (Seq[PythonUDF], SparkPlan) => SparkPlan): SparkPlan = {
    val (read, columns) = split(udfs.map(udf => Alias(udf, udf.name)()))
    withColumns(plan.child, columns).fold[SparkPlan](plan) { below =>
      val taken = read.map(_.children.head.asInstanceOf[PythonUDF])
      like(plan, ProjectExec(plan.output, like(plan, over(taken, below))))
    }
  }

  /** The plan with columns of its scan besides its own; None if there is no scan in its task. */
  private def withColumns(plan: SparkPlan, columns: Seq[Alias]): Option[SparkPlan] = {
    def passed = columns.map(_.toAttribute)
    plan match {
      case scan: FileSourceScanExec if ScanFormat.of(scan).isDefined =>
        Some(like(plan, ProjectExec(scan.output ++ columns, scan)))
      case ProjectExec(projections, child) if isAboveScan(plan) =>
        Some(like(plan, ProjectExec(projections ++ columns, child)))
      case ProjectExec(projections, child) =>
        withColumns(child, columns).map(below =>
          like(plan, ProjectExec(projections ++ passed, below)))
      case FilterExec(condition, child) =>
        withColumns(child, columns).map(below => like(plan, FilterExec(condition, below)))
      case _ => None
    }
  }

  private def like(original: SparkPlan, changed: SparkPlan): SparkPlan = {
    changed.copyTagsFrom(original)
    changed
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
