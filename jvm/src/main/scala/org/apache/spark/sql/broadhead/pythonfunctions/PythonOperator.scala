package org.apache.spark.sql.broadhead.pythonfunctions

import org.apache.spark.sql.broadhead.operators.FragmentOperator
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** An operator of a fragment that calls the user's Python functions. */
private[broadhead] trait PythonOperator extends FragmentOperator {

  /** The calls of functions, each with the functions in its arguments. */
  def calls: Seq[PythonCall]

  /** The user may have chosen the number of tasks for the work of the functions. */
  override def fixesTasks: Boolean = true

  /** The calls inside functions that fell back from the GPU. */
  @transient lazy val fallbackTimes: FallbackTimes = {
    val times = new FallbackTimes
    sparkContext.register(times)
    times
  }

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
    PythonOperator.OnHost -> SQLMetrics.createMetric(
      sparkContext,
      "number of GPU tasks whose Python functions went back to the CPU"))
}

private[broadhead] object PythonOperator {

  /** The metric by which a worker tells that functions planned for a GPU run on the CPU. */
  val OnHost = "functionsOnHost"

  /** The nanoseconds on the CPU in functions whose groups are large enough for a GPU. */
  val LargeGroups = "largeGroupTime"
}
