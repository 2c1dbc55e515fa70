package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, GeneratorForm, Json}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSeq, AttributeSet, Generator}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._

/** Spark's `GenerateExec` in the engine: each row joined with the rows that a generator returns. */
case class BroadheadGenerate(
    generator: Generator,
    requiredChildOutput: Seq[Attribute],
    outer: Boolean,
    generatorOutput: Seq[Attribute],
    child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "Generate"

  @transient override lazy val original: GenerateExec =
    GenerateExec(
      generator,
      requiredChildOutput,
      outer,
      generatorOutput,
      FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = requiredChildOutput ++ generatorOutput

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val form = GeneratorForm.of(generator).getOrElse {
      throw new IllegalStateException(s"generator ${generator.prettyName} cannot be encoded")
    }
    val input: AttributeSeq = child.output
    Seq(
      "generator" -> Json.obj(
        "class" -> Json.text(form.name),
        "children" -> Json.array(form.children.map(encoder.encode(_, input))),
        "outer" -> Json.bool(outer)),
      "required" -> Json.array(requiredChildOutput.map { attribute =>
        Json.number(input.indexOf(attribute.exprId).toLong)
      }))
  }

  override def keepsOrder: Boolean = inputKeepsOrder

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadGenerate =
    copy(child = newChild)
}

private[broadhead] object GenerateCase extends OperatorCase[GenerateExec] {
  override def name: String = "Generate"

  override def isLight(plan: GenerateExec): Boolean = true

  override def reasons(generate: GenerateExec, support: ExpressionSupport): Seq[String] =
    (generate.child.output ++ generate.output).flatMap(support.columnReasons) ++
      generatorReasons(generate.generator, support)

  private def generatorReasons(generator: Generator, support: ExpressionSupport): Seq[String] =
    GeneratorForm.of(generator) match {
      case Some(form) => form.children.distinct.flatMap(support.reasons)
      case None =>
        Seq(s"generator ${generator.prettyName} with these arguments is not supported")
    }

  override def convert(generate: GenerateExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadGenerate(
      generate.generator,
      generate.requiredChildOutput,
      generate.outer,
      generate.generatorOutput,
      children.head)
}
