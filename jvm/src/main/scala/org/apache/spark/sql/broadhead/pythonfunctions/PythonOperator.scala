package org.apache.spark.sql.broadhead.pythonfunctions

import org.apache.spark.api.python.PythonFunction
import org.apache.spark.sql.broadhead.execution.PythonMetrics
import org.apache.spark.sql.broadhead.fragment.{CallsFunctions, FragmentOperator}
import org.apache.spark.sql.broadhead.gpu.ExecutionTarget
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** An operator of a fragment that calls the user's Python functions. */
private[broadhead] trait PythonOperator extends FragmentOperator with CallsFunctions {

  /** The calls of functions, each with the functions in its arguments. */
  def calls: Seq[PythonCall]

  override def functions: Seq[PythonFunction] = calls.flatMap(_.functions)

  override def target: ExecutionTarget = FunctionAnswers.targetOf(this)

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
      "number of rows given to Python functions"),
    "pythonDeviceTime" -> SQLMetrics.createNanoTimingMetric(
      sparkContext,
      "time in Python functions on a GPU"),
    "pythonFallbackTime" -> SQLMetrics.createNanoTimingMetric(
      sparkContext,
      "time in pandas calls that fell back to the CPU"),
    "pythonCopiedBytes" -> SQLMetrics.createSizeMetric(
      sparkContext,
      "bytes copied between GPU and CPU for Python functions"),
    PythonMetrics.OnHost -> SQLMetrics.createMetric(
      sparkContext,
      "number of GPU tasks whose Python functions went back to the CPU"))
}
