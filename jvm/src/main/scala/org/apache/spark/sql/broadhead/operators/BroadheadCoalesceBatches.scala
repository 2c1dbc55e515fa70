package org.apache.spark.sql.broadhead.operators

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, BroadheadRowSource, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition, UnknownPartitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Spark's `CoalesceExec` over batches: a task reads several partitions, one after the other.
 *
 * It runs in the JVM and passes the batches of the fragment below on unchanged. Spark chooses the
 * grouping of the partitions, by the location of their data.
 */
case class BroadheadCoalesceBatches(numPartitions: Int, child: SparkPlan)
    extends UnaryExecNode
    with BroadheadOperator {

  override def nodeName: String = "BroadheadCoalesce"

  override def output: Seq[Attribute] = child.output

  override def endsFragment: Boolean = true

  override def isInFragment: Boolean = false

  override def outputPartitioning: Partitioning =
    if (numPartitions == 1) SinglePartition else UnknownPartitioning(numPartitions)

  override def supportsColumnar: Boolean = true

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val batches = child.executeColumnar()
    if (numPartitions == 1 && batches.getNumPartitions == 0) {
      // A request for one partition must return one.
      sparkContext.parallelize(Seq.empty[ColumnarBatch], 1)
    } else {
      batches.coalesce(numPartitions)
    }
  }

  protected override def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadCoalesceBatches =
    copy(child = newChild)
}

private[broadhead] object CoalesceBatchesCase extends OperatorCase[CoalesceExec] {
  override def name: String = "Coalesce"

  override def isLight(plan: CoalesceExec): Boolean = true

  override def endsFragment: Boolean = true

  override def needsOurInput: Boolean = true

  override def reasons(coalesce: CoalesceExec, support: ExpressionSupport): Seq[String] =
    coalesce.output.flatMap(support.columnReasons)

  override def convert(coalesce: CoalesceExec, children: Seq[SparkPlan]): SparkPlan =
    children.head match {
      case BroadheadRowSource(rows) => coalesce.copy(child = rows)
      case fragment => BroadheadCoalesceBatches(coalesce.numPartitions, fragment)
    }
}
