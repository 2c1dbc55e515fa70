package org.apache.spark.sql.broadhead.planning.adaptive

import java.util.ArrayList

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.application.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The rows of `left`, in a stage that adaptive execution makes when that of `right` has ended.
 *
 * It makes a stage when all stages below are finished, which is all that this node is for: it is
 * gone when a stage is made.
 *
 * @param right an exchange, which is read elsewhere in the plan
 */
case class BroadheadAwait(left: SparkPlan, right: SparkPlan) extends BinaryExecNode {

  override def output: Seq[Attribute] = left.output

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = left.outputOrdering

  override def supportsColumnar: Boolean = left.supportsColumnar

  /** A stage with it can stand in for one without, and the other way round. */
  protected override def doCanonicalize(): SparkPlan = left.canonicalized

  protected override def doExecute(): RDD[InternalRow] = left.execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = left.executeColumnar()

  /** Without the other stage: that is shown where it is read. */
  override def generateTreeString(
      depth: Int,
      lastChildren: ArrayList[Boolean],
      append: String => Unit,
      verbose: Boolean,
      prefix: String,
      addSuffix: Boolean,
      maxFields: Int,
      printNodeId: Boolean,
      printOutputColumns: Boolean,
      indent: Int): Unit =
    showLeft(depth, lastChildren, append, verbose, prefix, addSuffix, maxFields, printNodeId,
      printOutputColumns, indent)

  /** What Spark 4.0 calls. */
  def generateTreeString(
      depth: Int,
      lastChildren: ArrayList[Boolean],
      append: String => Unit,
      verbose: Boolean,
      prefix: String,
      addSuffix: Boolean,
      maxFields: Int,
      printNodeId: Boolean,
      indent: Int): Unit =
    showLeft(depth, lastChildren, append, verbose, prefix, addSuffix, maxFields, printNodeId,
      indent)

  private def showLeft(arguments: Any*): Unit =
    VersionedSpark.call(left, "generateTreeString", arguments)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadAwait =
    copy(left = newLeft, right = newRight)
}

/** Takes the nodes out of a stage that is made. */
object AwaitRemoval extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case BroadheadAwait(rows, _) => rows
  }
}
