package org.apache.spark.sql.broadhead.ui

import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.execution.SQLExecution

/** Adds up the times of the tasks of each query that runs, from the events of one thread. */
private[ui] class TaskTimes {
  import TaskTimes._

  private val queries = mutable.LinkedHashMap[Long, Times]()
  private val queryOfStage = mutable.HashMap[Int, Long]()

  def start(event: SparkListenerJobStart): Unit =
    for {
      properties <- Option(event.properties)
      id <- Option(properties.getProperty(SQLExecution.EXECUTION_ID_KEY))
    } {
      queries.getOrElseUpdate(id.toLong, new Times)
      // A stage of an earlier job is in the later jobs that skip it, too.
      event.stageIds.foreach(queryOfStage.getOrElseUpdate(_, id.toLong))
    }

  def add(event: SparkListenerTaskEnd): Unit =
    for {
      id <- queryOfStage.get(event.stageId)
      times <- queries.get(id)
      metrics <- Option(event.taskMetrics)
    } {
      def nanos(wanted: String => Boolean): Long =
        event.taskInfo.accumulables.iterator
          .filter(_.name.exists(wanted))
          .flatMap(_.update)
          // a number, or its text where the events come from a log
          .map(_.toString.toLong)
          .sum
      val run = metrics.executorRunTime
      times.tasks += run
      times.measured += math.min(run, NANOSECONDS.toMillis(nanos(Measured)))
      times.sparkCode += math.min(run, NANOSECONDS.toMillis(nanos(_ == SparkCode)))
    }

  /** The times of a query, which has ended. */
  def end(id: Long): Option[TimesData] = {
    queryOfStage --= queryOfStage.collect { case (stage, query) if query == id => stage }.toList
    queries
      .remove(id)
      .map(times => new TimesData(id, times.tasks, times.measured, times.sparkCode))
  }
}

private object TaskTimes {
  private val SparkCode = "time of values by Spark"
  private val Measured = Set(
    "time in the engine",
    "time to start the fragment",
    "time to encode results",
    "time waiting for a GPU")

  private class Times {
    var tasks = 0L
    var measured = 0L
    var sparkCode = 0L
  }
}
