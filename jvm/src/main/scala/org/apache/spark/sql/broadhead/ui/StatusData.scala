package org.apache.spark.sql.broadhead.ui

import com.fasterxml.jackson.annotation.JsonIgnore

import org.apache.spark.sql.broadhead.application._
import org.apache.spark.util.kvstore.KVIndex

// What Spark's store of an application, in memory or on disk, has for the tab.

private[ui] class StateData(val event: BroadheadStateEvent) {
  @JsonIgnore @KVIndex
  def key: String = "state"
}

private[ui] class ExecutorData(val event: BroadheadExecutorEvent) {
  @JsonIgnore @KVIndex
  def executor: String = event.executor

  @JsonIgnore @KVIndex("time")
  def time: Long = event.time
}

private[ui] class PlanData(val event: BroadheadPlanEvent) {
  @JsonIgnore @KVIndex
  def executionId: Long = event.executionId
}

/**
 * Times of the tasks of a query, added up, in milliseconds.
 *
 * @param tasks all of their time
 * @param measured what Broadhead's fragments have measured of it
 * @param sparkCode that in Spark's code, which evaluates expressions for fragments
 */
private[ui] class TimesData(
    val execution: Long,
    val tasks: Long,
    val measured: Long,
    val sparkCode: Long) {
  @JsonIgnore @KVIndex
  def executionId: Long = execution
}
