package org.apache.spark.sql.broadhead.planning

import io.broadhead.Settings

import org.apache.spark.SparkContext
import org.apache.spark.sql.broadhead.application.{BroadheadPlanEvent, BroadheadState, PlanEventNode}
import org.apache.spark.sql.broadhead.cache.CachedArrow
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, FragmentOperator, FragmentSource, PlanReasons}
import org.apache.spark.sql.broadhead.operators.BroadheadRowIds
import org.apache.spark.sql.broadhead.planning.adaptive.BroadheadAwait
import org.apache.spark.sql.broadhead.pythonfunctions.{BroadheadEvalPython, FunctionAnswers, PythonElements}
import org.apache.spark.sql.broadhead.versions.ExplainSection
import org.apache.spark.sql.broadhead.write.{DeltaCommands, IcebergWrites}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive._
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.command.{DataWritingCommandExec, ExecutedCommandExec}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanExecBase
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/**
 * An operator of a plan.
 *
 * @param reasons why it stays with Spark; none if it is accelerated
 * @param functions how each of its Python functions is computed, and the expressions that Spark
 *   evaluates
 * @param levels what in it is not exact: see docs/compatibility.md
 */
private[broadhead] case class ExplainedNode(
    depth: Int,
    plan: SparkPlan,
    name: String,
    accelerated: Boolean,
    reasons: Seq[String],
    functions: Seq[String] = Nil,
    levels: Seq[String] = Nil)

/** The section of `explain` about accelerated operators and fallbacks. */
class BroadheadExplain extends ExplainSection {
  override def title: String = "Broadhead"

  override def generateExtendedInfo(plan: SparkPlan): String = BroadheadExplain.text(plan)
}

object BroadheadExplain {

  /** The operators of a plan as a tree with reasons, and the number of accelerated ones. */
  def text(plan: SparkPlan): String = {
    val explained = nodes(plan)
    val lines = explained.map { node =>
      val reasons = if (node.reasons.isEmpty) "" else node.reasons.mkString(" [", "; ", "]")
      val functions =
        if (node.functions.isEmpty) "" else node.functions.mkString(" {", "; ", "}")
      val branch = if (node.depth == 0) "" else "   " * (node.depth - 1) + "+- "
      val levels = if (node.levels.isEmpty) "" else node.levels.mkString(" (", "; ", ")")
      s"$branch${node.name}$levels$functions$reasons"
    }
    if (explained.isEmpty) "" else (lines :+ summary(explained)).mkString("\n")
  }

  private def summary(explained: Seq[ExplainedNode]): String = {
    val accelerated = explained.count(_.accelerated)
    val evaluated = explained.count(_.functions.exists(PlanEventNode.isBySpark))
    val ofThem =
      if (evaluated == 0) "" else s", $evaluated of them with expressions by Spark's code"
    val counted =
      s"Broadhead: $accelerated of ${explained.length} operators accelerated$ofThem"
    BroadheadState.reason.fold(counted)(fault =>
      s"$counted. ${BroadheadState.SwitchedOff}: $fault")
  }

  /** The same for programs: `{"accelerated", "total", "nodes", "reasons"}` as JSON. */
  def json(plan: SparkPlan): String = {
    val explained = nodes(plan)
    Json.write(
      Json.obj(
        "accelerated" -> Json.number(explained.count(_.accelerated).toLong),
        "total" -> Json.number(explained.length.toLong),
        "nodes" -> Json.array(explained.map { node =>
          Json.obj(
            "depth" -> Json.number(node.depth.toLong),
            "name" -> Json.text(node.name),
            "accelerated" -> Json.bool(node.accelerated),
            "reasons" -> Json.texts(node.reasons),
            "functions" -> Json.texts(node.functions),
            "levels" -> Json.texts(node.levels))
        }),
        "reasons" -> Json.texts(
          BroadheadState.reason.map(fault => s"${BroadheadState.SwitchedOff}: $fault").toSeq ++
            reasons(explained))))
  }

  /** Each reason once; the last ones are those of operators that the engine does not have. */
  private def reasons(explained: Seq[ExplainedNode]): Seq[String] = {
    val all = explained.flatMap(_.reasons).distinct
    val (missing, lacking) = all.partition(_.startsWith(ExplainedPlan.Missing))
    lacking ++ missing
  }

  private[broadhead] def nodes(plan: SparkPlan): Seq[ExplainedNode] = {
    // A query that starts does not wait for the answers about its functions.
    val starts =
      SparkContext.getActive.exists(_.getLocalProperty(SQLExecution.EXECUTION_ID_KEY) != null)
    new ExplainedPlan(plan, BroadheadState.reason.isDefined, waits = !starts).nodes
  }

  /** The event about a plan, from what is known now; it waits for nothing. */
  private[broadhead] def event(executionId: Long, plan: SparkPlan): BroadheadPlanEvent = {
    val explained =
      new ExplainedPlan(plan, BroadheadState.knownReason.isDefined, waits = false).nodes
    BroadheadPlanEvent(
      executionId,
      explained.count(_.accelerated),
      explained.length,
      reasons(explained),
      explained.map { node =>
        PlanEventNode(node.depth, node.name, node.accelerated, node.reasons, node.functions)
      },
      System.currentTimeMillis())
  }
}

/**
 * The operators of a plan.
 *
 * @param root the plan
 * @param switchedOff whether Broadhead is switched off in this application
 * @param waits whether to wait for answers about Python functions that are not known yet
 */
private class ExplainedPlan(root: SparkPlan, switchedOff: Boolean, waits: Boolean) {

  /** Made once: Spark explains each plan when it starts, and whenever it plans again. */
  private lazy val settings = new Settings(root.conf)
  private lazy val support = new ExpressionSupport(Capabilities.ofJar, settings)

  def nodes: Seq[ExplainedNode] = walk(root, 0)

  private def walk(plan: SparkPlan, depth: Int): Seq[ExplainedNode] = plan match {
    case adaptive: AdaptiveSparkPlanExec => walk(adaptive.executedPlan, depth)
    case stage: QueryStageExec => walk(stage.plan, depth)
    case BroadheadAwait(rows, _) => walk(rows, depth)
    case command if DeltaCommands.reasonsOf(command).isDefined => Seq(explain(command, depth))
    case _: ReusedExchangeExec | _: ReusedSubqueryExec | _: ExecutedCommandExec |
        _: PythonElements =>
      Nil
    case _: WholeStageCodegenExec | _: InputAdapter | _: ColumnarToRowTransition |
        _: RowToColumnarExec | _: AQEShuffleReadExec | _: FragmentSource | _: BaseSubqueryExec |
        _: DataWritingCommandExec =>
      plan.children.flatMap(walk(_, depth))
    case operator =>
      val below = operator.subqueries ++ hidden(operator) ++ operator.children
      explain(operator, depth) +: below.flatMap(walk(_, depth + 1))
  }

  /** Plans that an operator runs but does not have as children. */
  private def hidden(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case cached: InMemoryTableScanExec => Seq(cached.relation.cachedPlan)
    case result: CommandResultExec => Seq(result.commandPhysicalPlan)
    case _ => Nil
  }

  private def explain(operator: SparkPlan, depth: Int): ExplainedNode = {
    val name = operator.nodeName.trim
    operator match {
      case eval: BroadheadEvalPython =>
        val functions = functionsOf(eval) ++ evaluatedIn(eval)
        ExplainedNode(depth, operator, name, accelerated = true, Nil, functions)
      case own: BroadheadOperator =>
        val evaluated = evaluatedIn(own)
        ExplainedNode(depth, operator, name, accelerated = true, Nil, evaluated, levelsIn(own))
      case cached if CachedArrow.isGivenBy(cached) && !switchedOff =>
        val note = Seq("it reads cached Arrow batches")
        ExplainedNode(depth, cached, name, accelerated = true, Nil, note)
      case write if IcebergWrites.isPrepared(write) =>
        val ours = write.children.exists(isFragment)
        val reasons = if (ours) Nil else Seq("the operator below it stays with Spark")
        ExplainedNode(depth, write, name, accelerated = ours, reasons)
      case other =>
        DeltaCommands.reasonsOf(other) match {
          case Some(found) =>
            val reasons = if (switchedOff) Seq(BroadheadState.SwitchedOff) else found
            val notes = if (reasons.isEmpty) Seq(DeltaCommands.Note) else Nil
            ExplainedNode(depth, other, name, accelerated = reasons.isEmpty, reasons, notes)
          case None =>
            ExplainedNode(depth, other, name, accelerated = false, reasonsOf(other, name))
        }
    }
  }

  /** Whether the rows of a plan are those of a fragment. */
  private def isFragment(plan: SparkPlan): Boolean = plan match {
    case adaptive: AdaptiveSparkPlanExec => isFragment(adaptive.executedPlan)
    case stage: QueryStageExec => isFragment(stage.plan)
    case rows: ColumnarToRowTransition => isFragment(rows.child)
    case wrapped @ (_: WholeStageCodegenExec | _: InputAdapter) =>
      isFragment(wrapped.children.head)
    case other => other.isInstanceOf[FragmentOperator]
  }

  /** The expressions that Spark evaluates for an operator of the engine. */
  private def evaluatedIn(operator: SparkPlan): Seq[String] =
    operator.getTagValue(ExplainedPlan.Evaluated).getOrElse {
      val used = if (operator.children.isEmpty) Nil else operator.expressions
      val found = used
        .flatMap(support.partsBySpark)
        .distinct
        .map(reason => s"${PlanEventNode.BySpark}$reason")
      operator.setTagValue(ExplainedPlan.Evaluated, found)
      found
    }

  /** The levels of an operator and of its functions, where they are not exact. */
  private def levelsIn(operator: SparkPlan): Seq[String] =
    operator.getTagValue(ExplainedPlan.Levels).getOrElse {
      val used = if (operator.children.isEmpty) Nil else operator.expressions
      val functions = used.flatMap(support.levels).distinct.groupBy(_._2).toList.sortBy(_._1)
      val name = operator.nodeName.trim.stripPrefix("Broadhead")
      val found =
        (support.operatorLevel(name) ++ positionLevel(operator)).toSeq ++ functions.map {
          case (level, found) =>
            found.map(_._1).sorted.mkString(s"$level: ", ", ", "")
        }
      operator.setTagValue(ExplainedPlan.Levels, found)
      found
    }

  /** Rows have their positions of Spark where they come from a scan in its order. */
  private def positionLevel(operator: SparkPlan): Option[String] = operator match {
    case ids: BroadheadRowIds if !ids.keepsOrder => Some("any order")
    case _ => None
  }

  /** How functions are computed. */
  private def functionsOf(eval: BroadheadEvalPython): Seq[String] =
    FunctionAnswers.of(eval, wait = waits) match {
      case None => eval.calls.map(call => s"${call.name} is called")
      case Some(answer) =>
        val mayUseGpu = BroadheadState.mayUseGpu(settings)
        eval.calls.zip(answer.reasons).map {
          case (call, None) => s"${call.name} is computed as an expression"
          case (call, Some(reason)) if answer.target.onDevice && mayUseGpu =>
            s"${call.name} is called on the GPU: $reason"
          case (call, Some(reason)) => s"${call.name} is called: $reason"
        }
    }

  /** Why an operator stays with Spark: the planner's reasons, else the reason why it did not plan. */
  private def reasonsOf(operator: SparkPlan, name: String): Seq[String] = {
    val decided = PlanReasons.of(operator)
    if (decided.nonEmpty) decided
    else if (switchedOff) Seq(BroadheadState.SwitchedOff)
    else if (OperatorCases.find(operator).isEmpty)
      Seq(s"${ExplainedPlan.Missing}$name is not supported${because(operator)}")
    else Seq(FragmentRewrite.reasonNotPlanned(operator))
  }

  /** Which code gives the rows of a scan: the names of tables and formats do not always say it. */
  private def because(operator: SparkPlan): String = operator match {
    case scan: FileSourceScanExec =>
      s": its files are read by ${scan.relation.fileFormat.getClass.getName}"
    case scan: DataSourceV2ScanExecBase =>
      s": its rows are read by the connector's own ${scan.scan.getClass.getName}"
    // in a module of Spark that an application may not have
    case scan if scan.nodeName.startsWith("Scan hive ") => ": its rows are read by Hive's classes"
    case _ => ""
  }
}

private object ExplainedPlan {

  /** How the reasons of operators begin that the engine does not have. */
  val Missing = "operator "

  /** What is known of an operator, which Spark explains again whenever a stage ends. */
  val Evaluated: TreeNodeTag[Seq[String]] = TreeNodeTag("broadhead.evaluated")
  val Levels: TreeNodeTag[Seq[String]] = TreeNodeTag("broadhead.levels")
}
