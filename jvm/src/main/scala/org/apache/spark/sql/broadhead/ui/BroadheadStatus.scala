package org.apache.spark.sql.broadhead.ui

import org.apache.spark.sql.broadhead.application._
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.execution.ui.{SQLAppStatusStore, SQLExecutionUIData}
import org.apache.spark.status.KVUtils
import org.apache.spark.util.kvstore.KVStore
import org.apache.spark.util.Utils

/**
 * A query of the tab.
 *
 * @param execution what Spark knows of it; None if Spark's UI has dropped it
 * @param times those of its tasks; None while it runs
 */
private[ui] case class ShownQuery(
    plan: BroadheadPlanEvent,
    execution: Option[SQLExecutionUIData],
    times: Option[TimesData]) {
  def id: Long = plan.executionId

  def description: String = execution.fold("")(_.description)

  def submitted: Long = execution.fold(plan.time)(_.submissionTime)

  /** Milliseconds of a query that has ended. */
  def duration: Option[Long] =
    for (known <- execution; end <- known.completionTime)
      yield end.getTime - known.submissionTime

  /** Milliseconds of its tasks in Broadhead, without Spark's code that its fragments ask. */
  def accelerated: Option[Long] = times.map { found =>
    val inFragments = if (plan.accelerated == plan.total) found.tasks else found.measured
    math.max(0L, inFragments - found.sparkCode)
  }

  def status: String =
    if (execution.exists(_.errorMessage.exists(_.nonEmpty))) "failed"
    else if (execution.exists(_.completionTime.isDefined)) "completed"
    else "running"
}

/**
 * A reason in the queries of the tab.
 *
 * @param time milliseconds of the queries that have it and have ended
 */
private[ui] case class RankedReason(
    reason: String,
    operators: Int,
    queries: Seq[Long],
    time: Long)

/**
 * Executors that reported the same of their Python.
 *
 * @param memory what the workers of an executor have; differs where hosts do
 */
private[ui] case class ExecutorGroup(
    report: BroadheadExecutorEvent,
    names: Seq[String],
    memory: Seq[String])

/** Reads what the tab shows from the store of Spark's UI. */
private[ui] class BroadheadStatus(store: KVStore) {
  private val executions = new SQLAppStatusStore(store)

  def state: Option[BroadheadStateEvent] =
    KVUtils.viewToSeq(store.view(classOf[StateData])).headOption.map(_.event)

  /** The queries, newest first. */
  def queries: Seq[ShownQuery] =
    KVUtils.viewToSeq(store.view(classOf[PlanData]).reverse()).map(data => shown(data.event))

  def query(id: Long): Option[ShownQuery] =
    try Some(shown(store.read(classOf[PlanData], id).event))
    catch { case _: NoSuchElementException => None }

  private def shown(plan: BroadheadPlanEvent): ShownQuery =
    ShownQuery(plan, executions.execution(plan.executionId), times(plan.executionId))

  private def times(id: Long): Option[TimesData] =
    try Some(store.read(classOf[TimesData], id))
    catch { case _: NoSuchElementException => None }

  /** An executor, its host and its GPUs; logs of earlier versions do not have these. */
  private def nameOf(report: BroadheadExecutorEvent): String = {
    val hostAndGpus = report.host +: Option(report.devices).getOrElse(Nil)
    s"${report.executor} (${hostAndGpus.mkString(", ")})"
  }

  private def memoryOf(report: BroadheadExecutorEvent): Option[String] =
    Optional.when(report.memory > 0) {
      val tasks = Texts.count(report.tasks, "task", "tasks")
      s"${Utils.bytesToString(report.memory)} for $tasks at the same time"
    }

  /** Executors by what they reported of their Python; those with a fault first. */
  def executors: Seq[ExecutorGroup] = {
    val reports = KVUtils.viewToSeq(store.view(classOf[ExecutorData])).map(_.event)
    val groups =
      reports
        .groupBy(_.copy(executor = "", host = "", devices = Nil, memory = 0, tasks = 0, time = 0))
        .toList
    groups
      .map { case (report, members) =>
        ExecutorGroup(report, members.map(nameOf), members.flatMap(memoryOf).distinct)
      }
      .sortBy(group => (group.report.fault.isEmpty, -group.names.length))
  }
}

private[ui] object BroadheadStatus {

  /** Why an operator, or an expression of it, stays with Spark. */
  def reasonsOf(node: PlanEventNode): Seq[String] =
    node.reasons ++ node.functions.filter(PlanEventNode.isBySpark).map { note =>
      s"by Spark's code, in the fragment: ${note.stripPrefix(PlanEventNode.BySpark)}"
    }

  /** Reasons of queries; those in the longest queries first. */
  def reasonsOf(queries: Seq[ShownQuery]): Seq[RankedReason] = {
    val found =
      for (query <- queries; node <- query.plan.nodes; reason <- reasonsOf(node))
        yield reason -> query
    found
      .groupBy(_._1)
      .toList
      .map { case (reason, occurrences) =>
        val distinct = occurrences.map { case (_, query) => query.id -> query.duration }.toMap
        val time = distinct.values.flatten.sum
        RankedReason(reason, occurrences.length, distinct.keys.toList.sorted, time)
      }
      .sortBy(ranked => (-ranked.time, -ranked.operators, ranked.reason))
  }
}
