package org.apache.spark.sql.broadhead.execution

import scala.jdk.CollectionConverters._

import org.apache.spark.JobArtifactSet
import org.apache.spark.api.python.{PythonBroadcast, PythonFunction}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.internal.SQLConf

/**
 * What the user's Python functions in a fragment find in their worker, besides their code.
 *
 * @param variables environment variables
 * @param includes archives and files of Python code that the user has added to the application
 * @param broadcasts the broadcast variables that the functions use
 * @param accumulator receives the updates of the user's accumulators
 * @param artifacts the id of the session's own files and archives
 * @param settings the session's settings of Spark's workers
 */
private[broadhead] case class PythonEnvironment(
    variables: Map[String, String],
    includes: Seq[String],
    broadcasts: Seq[Broadcast[PythonBroadcast]],
    accumulator: CompiledSpark.PythonAccumulator,
    artifacts: Option[String],
    settings: WorkerSettings)

private[broadhead] object PythonEnvironment {
  private val WorkerLogging = "spark.sql.pyspark.worker.logging.enabled"

  /** The environment of all functions of a fragment; None if it has none. */
  def of(functions: Seq[PythonFunction], conf: SQLConf): Option[PythonEnvironment] =
    functions.headOption.map { first =>
      PythonEnvironment(
        functions.flatMap(_.envVars.asScala).toMap,
        functions.flatMap(_.pythonIncludes.asScala).distinct,
        functions
          .flatMap(_.broadcastVars.asScala)
          .map(each => each.id -> each)
          .toMap
          .values
          .toList,
        first.accumulator,
        JobArtifactSet.getCurrentJobArtifactState.map(_.uuid),
        WorkerSettings.of(conf))
    }

  /** Why functions cannot run in the workers of fragments. */
  def reasons(functions: Seq[PythonFunction]): Seq[String] = {
    val checked = BroadheadState.python.map(_.interpreter)
    val others = functions.map(_.pythonExec).distinct.filterNot(checked.contains)
    val remedy = checked.fold("")(python =>
      s", which is $python: start the driver with PYSPARK_PYTHON=$python")
    others.map(other => s"its Python $other is not the one that was checked$remedy") ++
      Reasons.when(SQLConf.get.pysparkWorkerPythonExecutable.exists(!checked.contains(_)))(
        s"${SQLConf.PYSPARK_WORKER_PYTHON_EXECUTABLE.key} is set to another Python") ++
      // Spark's runner of functions collects the lines of their loggers.
      Reasons.when(WorkerSettings.isOn(SQLConf.get, WorkerLogging))(s"$WorkerLogging is true")
  }
}
