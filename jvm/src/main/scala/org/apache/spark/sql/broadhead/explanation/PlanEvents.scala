package org.apache.spark.sql.broadhead.explanation

import scala.collection.mutable

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.broadhead.application.BroadheadPlanEvent
import org.apache.spark.sql.broadhead.planning.BroadheadExplain
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.sql.execution.{QueryExecution, SQLExecution}
import org.apache.spark.sql.execution.ui._

/**
 * Posts the operators of each query when it starts, when adaptive execution has planned again, and
 * when it ends, unless they are those of the event before.
 *
 * It works in the thread of Spark's listeners, so a query does not wait for it. A short query may
 * have ended before this thread learns of its start; then only the event of its end has a plan.
 *
 * @param retained number of running queries that are remembered
 */
private[broadhead] class PlanEvents(post: BroadheadPlanEvent => Unit, retained: Int)
    extends SparkListener
    with Logging {

  /** The last event of each running query, with time 0; None before the first one. */
  private val last = mutable.LinkedHashMap[Long, Option[BroadheadPlanEvent]]()

  override def onOtherEvent(event: SparkListenerEvent): Unit =
    try follow(event)
    catch {
      case Recoverable(defect) =>
        logInfo("Broadhead cannot show which operators of a query it accelerates", defect)
    }

  private def follow(event: SparkListenerEvent): Unit = event match {
    // A query that cannot be planned has an empty plan, and must not be planned again here.
    case start: SparkListenerSQLExecutionStart if start.sparkPlanInfo.nodeName.nonEmpty =>
      last.put(start.executionId, None)
      if (last.size > retained) last.remove(last.head._1)
      report(start.executionId, SQLExecution.getQueryExecution(start.executionId))
    case update: SparkListenerSQLAdaptiveExecutionUpdate =>
      report(update.executionId, SQLExecution.getQueryExecution(update.executionId))
    case end: SparkListenerSQLExecutionEnd =>
      try report(end.executionId, end.qe)
      finally last.remove(end.executionId)
    case _ =>
  }

  private def report(executionId: Long, query: QueryExecution): Unit =
    if (query != null && last.contains(executionId)) {
      val event = BroadheadExplain.event(executionId, query.executedPlan)
      val content = Some(event.copy(time = 0))
      // Commands without operators, such as SET, are no queries.
      if (event.total > 0 && !last.put(executionId, content).contains(content)) post(event)
    }
}
