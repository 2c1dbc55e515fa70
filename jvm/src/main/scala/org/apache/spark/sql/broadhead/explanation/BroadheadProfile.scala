package org.apache.spark.sql.broadhead.explanation

import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.planning.{BroadheadExplain, ExplainedNode}
import org.apache.spark.sql.broadhead.pythonfunctions.PythonOperator
import org.apache.spark.sql.execution.QueryExecution

/** What the operators of a query did: rows and times, and the calls of Python functions. */
object BroadheadProfile {

  /** Nanoseconds of Spark's types of metrics that are times. */
  private[explanation] val TimeUnits = Map("nsTiming" -> 1L, "timing" -> 1000000L)

  /**
   * Runs a query, drops its rows, and gives its operators as JSON, root first:
   * `[{"depth", "name", "accelerated", "functions", "calls", "metrics": {name: value}, "fallbacks":
   * {call: time}}]`.
   *
   * Times are nanoseconds, added up over all tasks.
   */
  def run(query: QueryExecution): String = {
    query.toRdd.foreachPartition(rows => rows.foreach(_ => ()))
    Json.write(Json.array(BroadheadExplain.nodes(query.executedPlan).map(operator)))
  }

  /** An operator as an element of that array. */
  private[explanation] def operator(node: ExplainedNode): ObjectNode = {
    val calls = node.plan match {
      case operator: PythonOperator => operator.calls.map(_.name)
      case _ => Nil
    }
    val fallbacks = node.plan match {
      case operator: PythonOperator => operator.fallbackTimes.value
      case _ => Map.empty[String, Long]
    }
    val metrics = node.plan.metrics.toSeq.sortBy(_._1)
    Json.obj(
      "depth" -> Json.number(node.depth.toLong),
      "name" -> Json.text(node.name),
      "accelerated" -> Json.bool(node.accelerated),
      "functions" -> Json.texts(node.functions),
      "calls" -> Json.texts(calls),
      "metrics" -> Json.obj(metrics.map { case (name, metric) =>
        name -> Json.number(metric.value * TimeUnits.getOrElse(metric.metricType, 1L))
      }: _*),
      "fallbacks" -> Json.obj(fallbacks.toSeq.sortBy(-_._2).map { case (call, time) =>
        call -> Json.number(time)
      }: _*))
  }
}
