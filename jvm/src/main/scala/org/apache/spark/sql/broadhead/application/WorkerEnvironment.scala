package org.apache.spark.sql.broadhead.application

import org.apache.spark.SparkConf

/** The environment variables of workers. */
private[broadhead] object WorkerEnvironment {
  private val ExecutorEnvironment = "spark.executorEnv."
  private val HashSeed = "PYTHONHASHSEED"

  /**
   * For how many milliseconds Arrow's allocator keeps memory that is free: from one task to the
   * next, and not the one second that it has of itself. Fresh pages cost as much as reading a
   * column into them.
   */
  private val KeptMemory = "MIMALLOC_PURGE_DELAY"

  def memory: Map[String, String] =
    Map(KeptMemory -> sys.env.getOrElse(KeptMemory, "60000"))

  /** The environment of PySpark's functions, with a safe path. */
  def of(conf: SparkConf): Map[String, String] =
    conf.getAllWithPrefix(ExecutorEnvironment).toMap +
      (HashSeed -> sys.env.getOrElse(HashSeed, "0")) +
      (PythonProbe.SafePath -> "1")
}
