package org.apache.spark.sql.broadhead.pythonfunctions

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.api.python.PythonEvalType
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, PythonUDF, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.python.{ArrowEvalPythonExec, BatchEvalPythonExec, EvalPythonExec}

/**
 * Spark's `ArrowEvalPythonExec` or `BatchEvalPythonExec` in the engine: the child's columns, and
 * the result of each function for each row.
 */
case class BroadheadEvalPython(
    udfs: Seq[PythonUDF],
    resultAttrs: Seq[Attribute],
    child: SparkPlan,
    evalType: Int)
    extends UnaryExecNode
    with PythonOperator {

  override def operatorName: String = EvalPythonCase.nameOf(evalType)

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = udfs.map(PythonCall.of)

  @transient override lazy val original: SparkPlan = {
    val input = FragmentEncoder.originalOf(child)
    if (evalType == PythonEvalType.SQL_BATCHED_UDF) BatchEvalPythonExec(udfs, resultAttrs, input)
    else ArrowEvalPythonExec(udfs, resultAttrs, input, evalType)
  }

  override def keepsOrder: Boolean = inputKeepsOrder && calls.forall(_.deterministic)

  override def output: Seq[Attribute] = child.output ++ resultAttrs

  override def producedAttributes: AttributeSet = AttributeSet(resultAttrs)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    new PythonCallEncoder(encoder, child.output, conf).encode(calls, evalType)

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadEvalPython =
    copy(child = newChild)
}

private[broadhead] class EvalPythonCase(override val name: String)
    extends OperatorCase[EvalPythonExec] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: EvalPythonExec): Boolean = true

  override def reasons(plan: EvalPythonExec, support: ExpressionSupport): Seq[String] =
    plan.output.flatMap(support.columnReasons) ++
      plan.udfs.map(PythonCall.of).flatMap(PythonCall.reasons(_, support))

  override def convert(plan: EvalPythonExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadEvalPython(plan.udfs, plan.resultAttrs, children.head, EvalPythonCase.evalType(plan))
}

private[broadhead] object EvalPythonCase {

  /** Spark's name of the operator. */
  def nameOf(evalType: Int): String =
    if (evalType == PythonEvalType.SQL_BATCHED_UDF) "BatchEvalPython" else "ArrowEvalPython"

  private def evalType(plan: EvalPythonExec): Int = plan match {
    case arrow: ArrowEvalPythonExec => arrow.evalType
    case _ => PythonEvalType.SQL_BATCHED_UDF
  }
}
