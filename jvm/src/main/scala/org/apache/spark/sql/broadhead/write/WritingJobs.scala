package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{ActiveJob, ResultStage}
import org.apache.spark.sql.broadhead.operators.FragmentOperator

/**
 * Jobs that write the rows of a fragment outside of any plan. Spark has no interface for them, so
 * they are found when Spark serializes the last RDD of a job: by the job's function, and by what
 * it has captured.
 */
private[broadhead] object WritingJobs extends Logging {

  /** How the engine writes the files of the job that is being started for the rows. */
  def of(rows: RDD[_], root: FragmentOperator): Option[ResultWrite] =
    try {
      functionOf(rows).flatMap(serialized).flatMap { function =>
        DeltaWrites.of(function, root).orElse(IcebergWrites.of(function, root))
      }
    } catch {
      case failure @ (NonFatal(_) | _: LinkageError) =>
        logWarning("Broadhead leaves a write to the table's own library", failure)
        None
    }

  private def functionOf(rows: RDD[_]): Option[AnyRef] = {
    val scheduler = rows.sparkContext.dagScheduler
    scheduler.getClass
      .getMethod("activeJobs")
      .invoke(scheduler)
      .asInstanceOf[Iterable[ActiveJob]]
      .map(_.finalStage)
      .collectFirst { case stage: ResultStage if stage.rdd eq rows => stage.func }
  }

  private def serialized(function: AnyRef): Option[SerializedLambda] =
    function.getClass.getDeclaredMethods.find(_.getName == "writeReplace").flatMap { method =>
      method.setAccessible(true)
      Option(method.invoke(function)).collect { case lambda: SerializedLambda => lambda }
    }

  /** What a function has captured. */
  def captured(function: SerializedLambda): Seq[AnyRef] =
    (0 until function.getCapturedArgCount).map(function.getCapturedArg)
}
