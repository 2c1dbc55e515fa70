package org.apache.spark.sql.broadhead.application

import org.apache.spark.scheduler.SparkListenerEvent

// Spark writes events of classes that it does not know as JSON with the names of their fields.
// Tools read them from event logs, so class names and fields are kept.

/**
 * Whether Broadhead works in this application; posted when this changes.
 *
 * @param state `starting`, `on` or `off`
 * @param reason why it is off, with the remedy; otherwise empty
 * @param device `gpu` or `cpu`
 * @param deviceName names of the GPUs; empty without one
 * @param version that of Broadhead; the other versions are empty where they are not known
 * @param driver version of NVIDIA's driver
 * @param time milliseconds since 1970
 */
case class BroadheadStateEvent(
    state: String,
    reason: String,
    device: String,
    deviceName: String,
    version: String,
    sparkVersion: String,
    python: String,
    pyarrow: String,
    cudf: String,
    driver: String,
    time: Long)
    extends SparkListenerEvent

/**
 * What an executor found out about its own Python and memory.
 *
 * @param gpus names of its GPUs
 * @param devices the GPUs themselves, as CUDA_VISIBLE_DEVICES names them
 * @param memory bytes that its workers may have together; 0 in logs of earlier versions
 * @param tasks number of tasks that may have a worker at the same time
 * @param fault why fragments cannot run there; empty if they can
 */
case class BroadheadExecutorEvent(
    executor: String,
    host: String,
    python: String,
    pyarrow: String,
    cudf: String,
    driver: String,
    gpus: Seq[String],
    devices: Seq[String],
    memory: Long,
    tasks: Int,
    fault: String,
    time: Long)
    extends SparkListenerEvent

/**
 * The operators of a query; posted for its first plan, and when adaptive execution changed it.
 *
 * @param accelerated number of operators that fragments run, of `total`
 * @param reasons why others stay with Spark, each once
 */
case class BroadheadPlanEvent(
    executionId: Long,
    accelerated: Int,
    total: Int,
    reasons: Seq[String],
    nodes: Seq[PlanEventNode],
    time: Long)
    extends SparkListenerEvent

/** An operator of a plan, root first; one with a greater depth is below the last one with less. */
case class PlanEventNode(
    depth: Int,
    name: String,
    accelerated: Boolean,
    reasons: Seq[String],
    functions: Seq[String])

object PlanEventNode {

  /** How an entry of `functions` begins that says why Spark's code evaluates an expression. */
  private[broadhead] val BySpark = "Spark evaluates an expression: "

  private[broadhead] def isBySpark(note: String): Boolean = note.startsWith(BySpark)
}
