package org.apache.spark.sql.broadhead.pythonfunctions

import java.util.Base64

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.api.python.PythonEvalType
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.{CompiledSpark, ProductNames}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSeq, AttributeSet, PythonUDTF}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.python.{ArrowEvalPythonUDTFExec, BatchEvalPythonUDTFExec, EvalPythonUDTFExec}

/**
 * Spark's `BatchEvalPythonUDTFExec` or `ArrowEvalPythonUDTFExec` in the engine: each row joined
 * with the rows that a table function of the user returns for it.
 */
case class BroadheadEvalPythonUDTF(
    udtf: PythonUDTF,
    requiredChildOutput: Seq[Attribute],
    resultAttrs: Seq[Attribute],
    child: SparkPlan)
    extends UnaryExecNode
    with PythonOperator {

  override def operatorName: String = EvalPythonUDTFCase.nameOf(udtf.evalType)

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = Seq(PythonCall.ofTable(udtf))

  @transient override lazy val original: SparkPlan = {
    val input = FragmentEncoder.originalOf(child)
    if (udtf.evalType == PythonEvalType.SQL_TABLE_UDF) {
      BatchEvalPythonUDTFExec(udtf, requiredChildOutput, resultAttrs, input)
    } else {
      ArrowEvalPythonUDTFExec(udtf, requiredChildOutput, resultAttrs, input, udtf.evalType)
    }
  }

  override def output: Seq[Attribute] = requiredChildOutput ++ resultAttrs

  override def producedAttributes: AttributeSet = AttributeSet(resultAttrs)

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val input: AttributeSeq = child.output
    val partition = CompiledSpark.partitionColumns(udtf)
    new PythonCallEncoder(encoder, child.output, conf).encode(calls, udtf.evalType) ++ Seq(
      "required" -> Json.array(requiredChildOutput.map { attribute =>
        Json.number(input.indexOf(attribute.exprId).toLong)
      }),
      "table" -> Json.obj(
        "returnType" -> Json.text(udtf.elementSchema.json),
        "partitionColumns" -> Json.array(partition.map(index => Json.number(index.toLong))),
        "tableArguments" -> Json.array(tableArguments.map(Json.bool)),
        "analyzeResult" -> CompiledSpark
          .analyzeResult(udtf)
          .map(bytes => Json.text(Base64.getEncoder.encodeToString(bytes)))
          .getOrElse(Json.Null)))
  }

  /** For each argument, whether it is a table; Spark 4.0 does not say, nor use it. */
  private def tableArguments: Seq[Boolean] =
    ProductNames
      .of(udtf)
      .zip(udtf.productIterator.toList)
      .collectFirst { case ("tableArguments", Some(flags: Seq[_])) => flags.map(_ == true) }
      .getOrElse(calls.head.arguments.map(_ => false))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadEvalPythonUDTF =
    copy(child = newChild)
}

private[broadhead] class EvalPythonUDTFCase(override val name: String)
    extends OperatorCase[EvalPythonUDTFExec] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: EvalPythonUDTFExec): Boolean = true

  override def reasons(plan: EvalPythonUDTFExec, support: ExpressionSupport): Seq[String] =
    plan.output.flatMap(support.columnReasons) ++
      PythonCall.reasons(PythonCall.ofTable(plan.udtf), support) ++
      // Spark joins these with the function's batches by their numbers.
      Reasons.when(
        plan.udtf.evalType == EvalPythonUDTFCase.Batches && plan.requiredChildOutput.nonEmpty)(
        "the batches of an Arrow table function are joined with rows of another table")

  override def convert(plan: EvalPythonUDTFExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadEvalPythonUDTF(plan.udtf, plan.requiredChildOutput, plan.resultAttrs, children.head)
}

private[broadhead] object EvalPythonUDTFCase {

  /** `SQL_ARROW_UDTF`, which Spark 4.0 does not have. */
  private val Batches = 302

  /** Spark's name of the operator. */
  def nameOf(evalType: Int): String =
    if (evalType == PythonEvalType.SQL_TABLE_UDF) "BatchEvalPythonUDTF"
    else "ArrowEvalPythonUDTF"
}
