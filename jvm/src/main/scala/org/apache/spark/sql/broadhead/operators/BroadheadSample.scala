package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.execution.PoissonSample
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase, PartitionDependent}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._

/** Spark's `SampleExec` in the engine. */
private[broadhead] case class BroadheadSample(
    lowerBound: Double,
    upperBound: Double,
    withReplacement: Boolean,
    seed: Long,
    child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator
    with PartitionDependent {

  override def operatorName: String =
    if (withReplacement) "SampleWithReplacement" else "Sample"

  @transient override lazy val original: SampleExec =
    VersionedSpark.sample(
      lowerBound,
      upperBound,
      withReplacement,
      seed,
      FragmentEncoder.originalOf(child))

  override def poisson: Option[PoissonSample] =
    if (withReplacement) Some(PoissonSample(upperBound - lowerBound, seed)) else None

  override def keepsOrder: Boolean = inputKeepsOrder

  override def dependsOnOrder: Boolean = true

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    if (withReplacement) {
      Nil
    } else {
      Seq(
        "lower" -> Json.text(lowerBound.toString),
        "upper" -> Json.text(upperBound.toString),
        "seed" -> Json.number(seed))
    }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadSample =
    copy(child = newChild)
}

private[broadhead] object SampleCase extends OperatorCase[SampleExec] {
  override def name: String = "Sample"

  override def isLight(plan: SampleExec): Boolean = true

  override def reasons(sample: SampleExec, support: ExpressionSupport): Seq[String] =
    sample.output.flatMap(support.columnReasons)

  override def convert(sample: SampleExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadSample(
      sample.lowerBound,
      sample.upperBound,
      sample.withReplacement,
      VersionedSpark.seedOf(sample),
      children.head)
}
