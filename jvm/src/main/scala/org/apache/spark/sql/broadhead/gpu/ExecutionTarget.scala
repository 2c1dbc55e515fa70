package org.apache.spark.sql.broadhead.gpu

/** Where the Python functions of an operator run on a host with a GPU. */
private[broadhead] sealed abstract class ExecutionTarget(
    val name: String,
    val onDevice: Boolean,
    val seesTask: Boolean)
    extends Serializable

private[broadhead] object ExecutionTarget {

  /** They are expressions of the fragment. */
  case object Expression extends ExecutionTarget("expression", onDevice = false, seesTask = false)

  /** On the GPU; each result depends on its own row alone. */
  case object DeviceRows extends ExecutionTarget("device rows", onDevice = true, seesTask = false)

  /** On the GPU; functions may tell which rows are in their task. */
  case object Device extends ExecutionTarget("device", onDevice = true, seesTask = true)

  /** On the GPU, however few rows there are: they take objects of cuDF or CuPy. */
  case object DeviceOnly extends ExecutionTarget("device only", onDevice = true, seesTask = true)

  case object Host extends ExecutionTarget("host", onDevice = false, seesTask = true)

  def named(name: String): ExecutionTarget =
    Seq(Expression, DeviceRows, Device, DeviceOnly).find(_.name == name).getOrElse(Host)
}
