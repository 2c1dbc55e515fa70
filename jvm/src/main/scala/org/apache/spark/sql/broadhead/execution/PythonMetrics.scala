package org.apache.spark.sql.broadhead.execution

/** Metrics of workers with the user's Python functions. */
private[broadhead] object PythonMetrics {

  /** By this one a worker tells that functions planned for a GPU run on the CPU. */
  val OnHost = "functionsOnHost"

  /** The nanoseconds on the CPU in functions whose groups are large enough for a GPU. */
  val LargeGroups = "largeGroupTime"
}
