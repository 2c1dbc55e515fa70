package org.apache.spark.sql.broadhead.pythonfunctions

import org.apache.spark.sql.broadhead.operators.FragmentOperator
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** An operator of a fragment that calls the user's Python functions. */
private[broadhead] trait PythonOperator extends FragmentOperator {

  /** The calls of functions, each with the functions in its arguments. */
  def calls: Seq[PythonCall]

  /** The user may have chosen the number of tasks for the work of the functions. */
  override def fixesTasks: Boolean = true

  protected override def ownMetrics: Map[String, SQLMetric] = Map(
    "pythonTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in Python functions"),
    "tracedCalls" -> SQLMetrics.createMetric(
      sparkContext,
      "number of function calls computed as expressions"),
    "pythonBatches" -> SQLMetrics.createMetric(
      sparkContext,
      "number of batches given to Python functions"),
    "pythonRows" -> SQLMetrics.createMetric(
      sparkContext,
      "number of rows given to Python functions"))
}
