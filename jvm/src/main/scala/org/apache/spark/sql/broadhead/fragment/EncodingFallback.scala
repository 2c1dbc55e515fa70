package org.apache.spark.sql.broadhead.fragment

import java.util.concurrent.ConcurrentHashMap

import io.broadhead.Settings

import org.apache.spark.SparkException
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.arrow.RowBatches
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Fallback for a fragment that cannot be encoded when it runs: values that were unknown at
 * planning, such as the value of a subquery, may have no encoding.
 */
private[broadhead] object EncodingFallback extends Logging {
  private val MaxRemembered = 10000
  private val logged = ConcurrentHashMap.newKeySet[String]()

  /** The fragment; None, after a report, if Spark's own operators have to run. */
  def encoded(root: FragmentOperator): Option[EncodedFragment] = {
    // Not caught below: an error of a subquery is the user's.
    awaitSubqueries(root)
    try Some(root.fragment)
    catch {
      case Recoverable(defect) =>
        report(root, defect)
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

  private def report(root: FragmentOperator, defect: Throwable): Unit = {
    val reason = Option(defect.getMessage).getOrElse(defect.getClass.getName)
    val failure = s"Broadhead could not send the fragment of ${root.nodeName} to the engine"
    if (new Settings(root.conf).strict)
      throw new SparkException(s"$failure, and spark.broadhead.strict is true: $reason", defect)
    val message = s"$failure, Spark's own operators run instead: $reason"
    if (logged.size < MaxRemembered && logged.add(message)) logWarning(message, defect)
  }

  private def awaitSubqueries(node: SparkPlan): Unit = node match {
    case source: FragmentSource => source.awaitSubqueries()
    case operator: FragmentNode =>
      operator.awaitSubqueries()
      operator.children.foreach(awaitSubqueries)
    case _ =>
  }
}
