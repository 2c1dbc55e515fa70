package org.apache.spark.sql.broadhead.explanation

import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.planning.BroadheadExplain
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.ui.{SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart}

/**
 * The queries of an application that end while it is watched, such as those of a notebook's cell.
 *
 * It has a queue of its own, so that it delays no other listener. The slowest queries are
 * described, the others counted.
 */
final class QueryWatch private (context: SparkContext, described: Int)
    extends SparkListener
    with Logging {
  import QueryWatch._

  private val titles = mutable.Map.empty[Long, String]
  private val slowest = mutable.PriorityQueue.empty[Query](Ordering.by(-_.time))
  private var failed = 0
  private var ended = 0
  private var time = 0L

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case start: SparkListenerSQLExecutionStart =>
      synchronized { titles(start.executionId) = start.description }
    case end: SparkListenerSQLExecutionEnd => synchronized(ends(end))
    case _ =>
  }

  private def ends(end: SparkListenerSQLExecutionEnd): Unit = {
    val title = titles.remove(end.executionId).orElse(end.executionName).getOrElse("")
    ended += 1
    time += end.duration
    if (end.executionFailure.isDefined) failed += 1
    if (slowest.size < described || slowest.head.time < end.duration) {
      slowest += Query(end.executionId, title, end.duration, end.executionFailure, plan(end.qe))
      if (slowest.size > described) slowest.dequeue()
    }
  }

  /** The operators of a query; none if it could not be planned. */
  private def plan(query: QueryExecution): Seq[JsonNode] =
    try operators(query.executedPlan)
    catch {
      case NonFatal(error) =>
        logDebug("A query without a plan", error)
        Nil
    }

  /**
   * Ends the watch, and gives what ran as JSON: `{"queries", "failed", "time", "slowest": [{"id",
   * "title", "time", "error", "operators"}]}`, the slowest in the order in which they started.
   *
   * Times are nanoseconds; those of operators are added up over all tasks.
   */
  def finish(): String = {
    try context.listenerBus.waitUntilEmpty(PatienceMillis)
    catch {
      // The events of a busy application are late: what has arrived is shown.
      case _: TimeoutException => logWarning("Not all events of the last queries have arrived")
    }
    context.removeSparkListener(this)
    synchronized {
      Json.write(
        Json.obj(
          "queries" -> Json.number(ended.toLong),
          "failed" -> Json.number(failed.toLong),
          "time" -> Json.number(time),
          "slowest" -> Json.array(slowest.toSeq.sortBy(_.id).map(_.json))))
    }
  }
}

object QueryWatch extends AdaptiveSparkPlanHelper {
  import BroadheadProfile.TimeUnits

  private val PatienceMillis = 10000L
  private val Queue = "broadhead-queries"

  /** Starts to watch; so many of the slowest queries will be described. */
  def start(context: SparkContext, described: Int): QueryWatch = {
    val watch = new QueryWatch(context, described)
    context.listenerBus.addToQueue(watch, Queue)
    watch
  }

  private case class Query(
      id: Long,
      title: String,
      time: Long,
      error: Option[Throwable],
      operators: Seq[JsonNode]) {
    def json: JsonNode = Json.obj(
      "id" -> Json.number(id),
      "title" -> Json.text(title),
      "time" -> Json.number(time),
      "error" -> error.fold(Json.Null)(each => Json.text(String.valueOf(each.getMessage))),
      "operators" -> Json.array(operators))
  }

  /** The operators as `BroadheadProfile` gives them, with their reasons and Spark's own times. */
  private def operators(plan: SparkPlan): Seq[JsonNode] = {
    val pipelines = collectWithSubqueries(plan) { case pipeline: WholeStageCodegenExec =>
      pipeline.child.id -> pipeline.longMetric("pipelineTime").value
    }.toMap
    BroadheadExplain.nodes(plan).map { node =>
      val operator = BroadheadProfile.operator(node)
      operator.set[JsonNode]("reasons", Json.texts(node.reasons))
      operator.set[JsonNode]("times", timesOf(node.plan))
      pipelines.get(node.plan.id).foreach { millis =>
        operator.set[JsonNode]("pipelineTime", Json.number(millis * TimeUnits("timing")))
      }
      operator
    }
  }

  /** The metrics of an operator that are times, by name, in nanoseconds. */
  private def timesOf(operator: SparkPlan): JsonNode =
    Json.obj((for {
      (name, metric) <- operator.metrics.toSeq.sortBy(_._1)
      unit <- TimeUnits.get(metric.metricType)
    } yield name -> Json.number(metric.value * unit)): _*)
}
