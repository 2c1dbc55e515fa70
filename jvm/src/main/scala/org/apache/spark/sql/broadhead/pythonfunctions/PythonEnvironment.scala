package org.apache.spark.sql.broadhead.pythonfunctions

import scala.jdk.CollectionConverters._

import org.apache.spark.JobArtifactSet
import org.apache.spark.api.python.{PythonBroadcast, PythonFunction}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.internal.SQLConf

/**
 * What the user's Python functions in a fragment find in their worker, besides their code.
 *
 * @param variables environment variables
 * @param includes archives and files of Python code that the user has added to the application
 * @param broadcasts the broadcast variables that the functions use
 * @param accumulator receives the updates of the user's accumulators
 * @param artifacts the id of the session's own files and archives
 */
private[broadhead] case class PythonEnvironment(
    variables: Map[String, String],
    includes: Seq[String],
    broadcasts: Seq[Broadcast[PythonBroadcast]],
    accumulator: PythonFunction.PythonAccumulator,
    artifacts: Option[String])

private[broadhead] object PythonEnvironment {

  /** The environment of all functions of a fragment; None if it has none. */
  def of(functions: Seq[PythonFunction], conf: SQLConf): Option[PythonEnvironment] =
    functions.headOption.map { first =>
      PythonEnvironment(
        functions.flatMap(_.envVars.asScala).toMap ++ tracebacks(conf),
        functions.flatMap(_.pythonIncludes.asScala).distinct,
        functions.flatMap(_.broadcastVars.asScala).distinctBy(_.id),
        first.accumulator,
        JobArtifactSet.getCurrentJobArtifactState.map(_.uuid))
    }

  /** Why functions cannot run in the workers of fragments. */
  def reasons(functions: Seq[PythonFunction]): Seq[String] = {
    val checked = BroadheadState.python.map(_.interpreter)
    val others = functions.map(_.pythonExec).distinct.filterNot(checked.contains)
    others.map(other => s"its Python $other is not the one that was checked") ++
      Reasons.when(SQLConf.get.pysparkWorkerPythonExecutable.exists(!checked.contains(_)))(
        s"${SQLConf.PYSPARK_WORKER_PYTHON_EXECUTABLE.key} is set to another Python")
  }

  /** Spark's settings for the texts of the user's errors, as Spark passes them to its workers. */
  private def tracebacks(conf: SQLConf): Map[String, String] =
    Map(
      "SPARK_SIMPLIFIED_TRACEBACK" -> conf.pysparkSimplifiedTraceback,
      "SPARK_HIDE_TRACEBACK" -> conf.pysparkHideTraceback).collect { case (name, true) =>
      name -> "1"
    }
}
