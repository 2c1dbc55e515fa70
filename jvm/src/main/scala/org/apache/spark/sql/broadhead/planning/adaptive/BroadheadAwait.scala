package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.versions.LeftInTree
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The rows of `left`, in a stage that adaptive execution creates after that of `right` has ended.
 *
 * It creates a stage when all stages below are finished. That is the only purpose of this node:
 * it is removed when the stage is created.
 *
 * @param right an exchange, which is read elsewhere in the plan
 */
case class BroadheadAwait(left: SparkPlan, right: SparkPlan) extends LeftInTree {

  override def output: Seq[Attribute] = left.output

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = left.outputOrdering

  override def supportsColumnar: Boolean = left.supportsColumnar

  /** A stage with the node can replace one without it, and vice versa. */
  protected override def doCanonicalize(): SparkPlan = left.canonicalized

  protected override def doExecute(): RDD[InternalRow] = left.execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = left.executeColumnar()

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadAwait =
    copy(left = newLeft, right = newRight)
}

/** Removes the nodes from a stage that is being created. */
object AwaitRemoval extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case BroadheadAwait(rows, _) => rows
  }
}
