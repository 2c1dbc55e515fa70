package org.apache.spark.sql.broadhead.execution

import org.apache.spark.api.python.{ChainedPythonFunctions, PythonFunction, PythonRunner}

/**
 * Spark's runner with the settings of the session, as for the functions of Spark's own operators.
 *
 * Some members are not in every version of Spark, where nothing reads them.
 */
private[broadhead] class FunctionRunner(
    function: PythonFunction,
    artifacts: Option[String],
    settings: WorkerSettings)
    extends PythonRunner(Seq(ChainedPythonFunctions(Seq(function))), artifacts) {

  override val faultHandlerEnabled: Boolean = settings.faultHandler
  override val idleTimeoutSeconds: Long = settings.idleTimeoutSeconds
  override val killOnIdleTimeout: Boolean = settings.killOnIdleTimeout
  override val tracebackDumpIntervalSeconds: Long = settings.tracebackDumpIntervalSeconds
  override val killWorkerOnFlushFailure: Boolean = settings.killOnFlushFailure
  override val hideTraceback: Boolean = settings.hideTraceback
  override val simplifiedTraceback: Boolean = settings.simplifiedTraceback

  /** Of Spark 4.3. */
  val tracebackWithLocals: Boolean = settings.tracebackWithLocals
}
