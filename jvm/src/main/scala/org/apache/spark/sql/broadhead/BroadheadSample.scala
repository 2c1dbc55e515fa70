package org.apache.spark.sql.broadhead

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._

/** Spark's `SampleExec` without replacement in the engine. */
case class BroadheadSample(lowerBound: Double, upperBound: Double, seed: Long, child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator
    with PartitionDependent {

  override def operatorName: String = "Sample"

  override lazy val original: SampleExec =
    VersionedSpark.sample(lowerBound, upperBound, seed, FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "lower" -> Json.text(lowerBound.toString),
    "upper" -> Json.text(upperBound.toString),
    "seed" -> Json.number(seed))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadSample =
    copy(child = newChild)
}

private[broadhead] object SampleCase extends OperatorCase[SampleExec] {
  override def name: String = "Sample"

  override def reasons(sample: SampleExec, support: ExpressionSupport): Seq[String] =
    replacementReasons(sample) ++ seedReasons(sample) ++ sample.output.flatMap(
      support.columnReasons)

  private def replacementReasons(sample: SampleExec): Seq[String] =
    if (sample.withReplacement) {
      Seq("sampling with replacement is not supported: sample without replacement")
    } else {
      Nil
    }

  private def seedReasons(sample: SampleExec): Seq[String] =
    if (VersionedSpark.seedOf(sample).isEmpty) {
      Seq("a sample without a seed is not supported: give it one")
    } else {
      Nil
    }

  override def convert(sample: SampleExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadSample(
      sample.lowerBound,
      sample.upperBound,
      VersionedSpark.seedOf(sample).get,
      children.head)
}
