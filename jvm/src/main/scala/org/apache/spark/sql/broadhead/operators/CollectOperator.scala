package org.apache.spark.sql.broadhead.operators

import io.broadhead.Settings

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionSupport}
import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, BroadheadRowSource}
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleRead, ShuffleExchangeCase}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * An operator that combines few rows of each task of a fragment.
 *
 * `collect` combines them on the driver; otherwise the rows go through one more shuffle. It
 * returns rows as well as columns: Spark then calls `executeCollect` on it and not on a
 * transition.
 */
private[broadhead] trait CollectOperator extends UnaryExecNode with BroadheadOperator {

  override def endsFragment: Boolean = true

  /** The engine's operators over one partition with the rows of all partitions of the child. */
  protected def merged(rows: SparkPlan): SparkPlan

  override def supportsRowBased: Boolean = true

  override def supportsColumnar: Boolean = true

  override def outputPartitioning: Partitioning = SinglePartition

  // Plans created during execution need the session, which is that of the thread.
  @transient private lazy val mergedPlan: SparkPlan =
    session.withActive(merged(SinglePartitionRows.of(child)))

  protected override def doExecute(): RDD[InternalRow] = mergedPlan.execute()

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = mergedPlan.executeColumnar()

  /** Spark's text for the original with the operator's name changed, without its first line. */
  protected def describeAs(node: SparkPlan): String = {
    val details = node.verboseStringWithOperatorId().linesIterator.dropWhile(_.isEmpty).drop(1)
    (formattedNodeName +: details.toSeq).mkString("\n", "\n", "\n")
  }
}

/** All rows of a fragment in one partition, as the leaf of another fragment. */
private[broadhead] object SinglePartitionRows {

  def of(plan: SparkPlan): SparkPlan =
    if (plan.outputPartitioning == SinglePartition) plan
    else {
      val support = new ExpressionSupport(Capabilities.ofJar, new Settings(plan.conf))
      val exchange = VersionedSpark.make[ShuffleExchangeExec](ShuffleExchangeExec,
        SinglePartition, plan, ENSURE_REQUIREMENTS, None)
      if (ShuffleExchangeCase.reasons(exchange, support).isEmpty)
        BroadheadShuffleRead(ShuffleExchangeCase.convert(exchange, Seq(plan)), whole = false)
      else BroadheadRowSource(exchange.withNewChildren(Seq(ColumnarToRowExec(plan))))
    }
}
