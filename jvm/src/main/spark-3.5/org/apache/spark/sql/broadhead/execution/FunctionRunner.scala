package org.apache.spark.sql.broadhead.execution

import org.apache.spark.api.python.{ChainedPythonFunctions, PythonFunction, PythonRunner}

/** Spark's runner; Spark 3.5 has one setting of workers for each session. */
private[broadhead] class FunctionRunner(
    function: PythonFunction,
    artifacts: Option[String],
    settings: WorkerSettings)
    extends PythonRunner(Seq(ChainedPythonFunctions(Seq(function))), artifacts) {

  override val simplifiedTraceback: Boolean = settings.simplifiedTraceback
}
