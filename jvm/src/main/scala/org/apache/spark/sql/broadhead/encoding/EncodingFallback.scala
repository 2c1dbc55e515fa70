package org.apache.spark.sql.broadhead.encoding

import io.broadhead.Settings

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.application.Recoverable
import org.apache.spark.sql.broadhead.arrow.RowBatches
import org.apache.spark.sql.broadhead.operators.{FragmentNode, FragmentOperator, FragmentSource}
import org.apache.spark.sql.broadhead.planning.FallbackReport
import org.apache.spark.sql.broadhead.replay.ReplayPlan
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Fallback for a fragment that cannot be encoded when it runs: values that were unknown at
 * planning, such as the value of a subquery, may have no encoding.
 */
private[broadhead] object EncodingFallback {

  /** The fragment; None, after a report, if Spark's own operators have to run. */
  def encoded(root: FragmentOperator): Option[EncodedFragment] = {
    // Not caught below: an error of a subquery is the user's.
    awaitSubqueries(root)
    try Some(root.fragment)
    catch {
      case Recoverable(defect) =>
        FallbackReport.reportDefect(root, defect, new Settings(root.conf))
        None
    }
  }

  /** The batches of Spark's own operators; each of their tasks counts as replayed. */
  def execute(root: FragmentOperator): RDD[ColumnarBatch] = {
    val batches = RowBatches.columnar(ReplayPlan.whole(root.original))
    count(root, batches.getNumPartitions)
    batches
  }

  /** Counts tasks that run Spark's own operators. */
  def count(root: FragmentOperator, tasks: Int): Unit = {
    val replays = root.fragmentMetrics("replays")
    replays.add(tasks.toLong)
    val context = root.session.sparkContext
    val query = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(context, query, Seq(replays))
  }

  private def awaitSubqueries(node: SparkPlan): Unit = node match {
    case source: FragmentSource => source.awaitSubqueries()
    case operator: FragmentNode =>
      operator.awaitSubqueries()
      operator.children.foreach(awaitSubqueries)
    case _ =>
  }
}
