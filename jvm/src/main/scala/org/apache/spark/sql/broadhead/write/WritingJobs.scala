package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda

import scala.util.control.NonFatal

import org.apache.spark.OneToOneDependency
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{ActiveJob, ResultStage}
import org.apache.spark.sql.broadhead.fragment.FragmentOperator

/**
 * Jobs that write the rows of a fragment outside of any plan. Spark has no interface for them, so
 * they are found when Spark serializes the last RDD of a job: by the job's function, and by what
 * it has captured.
 */
private[broadhead] object WritingJobs extends Logging {

  /** How the engine writes the files of the job that is being started for the rows. */
  def of(rows: RDD[_], root: FragmentOperator): Option[ResultWrite] =
    try {
      for {
        (operators, job) <- jobOf(rows)
        function <- serialized(job)
        write <- DeltaWrites.of(function, root, operators).orElse {
          if (operators.isEmpty) IcebergWrites.of(function, root) else None
        }
      } yield write
    } catch {
      case failure @ (NonFatal(_) | _: LinkageError) =>
        logWarning("Broadhead leaves a write to the table's own library", failure)
        None
    }

  /** The names of Spark's operators over the rows, and the function of the job that runs them. */
  private def jobOf(rows: RDD[_]): Option[(Seq[String], AnyRef)] = {
    val scheduler = rows.sparkContext.dagScheduler
    scheduler.getClass
      .getMethod("activeJobs")
      .invoke(scheduler)
      .asInstanceOf[Iterable[ActiveJob]]
      .map(_.finalStage)
      .collect { case stage: ResultStage => above(stage.rdd, rows).map(_ -> stage.func) }
      .flatten
      .headOption
  }

  /** The operators between the last RDD and the rows, from the last on, if these are its rows. */
  private def above(last: RDD[_], rows: RDD[_]): Option[Seq[String]] =
    if (last eq rows) Some(Nil)
    else
      last.dependencies match {
        case Seq(one: OneToOneDependency[_]) if last.scope.isDefined =>
          above(one.rdd, rows).map(last.scope.get.name +: _)
        case _ => None
      }

  private def serialized(function: AnyRef): Option[SerializedLambda] =
    function.getClass.getDeclaredMethods.find(_.getName == "writeReplace").flatMap { method =>
      method.setAccessible(true)
      Option(method.invoke(function)).collect { case lambda: SerializedLambda => lambda }
    }

  /** What a function has captured. */
  def captured(function: SerializedLambda): Seq[AnyRef] =
    (0 until function.getCapturedArgCount).map(function.getCapturedArg).filter(_ != null)
}
