package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{FragmentOperator, OperatorCase, PartitionedLeaf}
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._

/** Spark's `RangeExec` in the engine. */
case class BroadheadRange(planned: RangeExec)
    extends LeafExecNode
    with FragmentOperator
    with PartitionedLeaf {

  override def operatorName: String = "Range"

  override def keepsOrder: Boolean = true

  override def original: RangeExec = planned

  override def output: Seq[Attribute] = planned.output

  override def outputPartitioning: Partitioning = planned.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = planned.outputOrdering

  /** Spark gives an empty range no partitions. */
  override def partitionCount: Int = if (planned.isEmptyRange) 0 else planned.numSlices

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "start" -> Json.number(planned.start),
    "step" -> Json.number(planned.step),
    "count" -> Json.text(planned.numElements.max(0).toString),
    "slices" -> Json.number(planned.numSlices.toLong))

  protected override def doCanonicalize(): SparkPlan =
    BroadheadRange(planned.canonicalized.asInstanceOf[RangeExec])

  override def simpleString(maxFields: Int): String =
    nodeName + planned.simpleString(maxFields).stripPrefix("Range")

  override def verboseStringWithOperatorId(): String = describeAs(original)
}

private[broadhead] object RangeCase extends OperatorCase[RangeExec] {

  /** Numbers in one batch of Spark's generated code. */
  private val Batch = 1000

  /** Numbers after which making them takes longer than starting a task in the engine. */
  private val ManyNumbers = 1000000

  override def name: String = "Range"

  override def isLight(plan: RangeExec): Boolean = true

  override def makesManyNumbers(plan: RangeExec): Boolean = plan.numElements >= ManyNumbers

  override def reasons(range: RangeExec, support: ExpressionSupport): Seq[String] =
    if (batchSpan(range).isValidLong) Nil
    else Seq(s"a range that overflows 64 bits within $Batch steps is not supported")

  /** Spark's generated code loses numbers if a batch overflows 64 bits. */
  private def batchSpan(range: RangeExec): BigInt =
    range.numElements.min(Batch) * BigInt(range.step).abs

  override def convert(range: RangeExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadRange(range)
}
