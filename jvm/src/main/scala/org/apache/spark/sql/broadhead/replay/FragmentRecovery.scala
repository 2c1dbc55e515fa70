package org.apache.spark.sql.broadhead.replay

import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.api.python.PythonException
import org.apache.spark.internal.Logging
import org.apache.spark.shuffle.FetchFailedException
import org.apache.spark.{SparkException, TaskContext, TaskKilledException}
import org.apache.spark.sql.broadhead.execution.{FragmentProgram, WorkerRun}

/** Decides what follows when a worker gave no answer. */
private[broadhead] class FragmentRecovery(
    program: FragmentProgram,
    partition: Int,
    context: TaskContext)
    extends Logging {

  /** The failure that Spark's own operators may make good; throws any other error. */
  def check(error: Throwable, worker: Option[WorkerRun[_]]): FragmentFailure = {
    worker.flatMap(_.sourceFailure).foreach(throw _)
    if (context.isInterrupted() || !replayable(error)) throw error
    val failure = FragmentFailure.of(error)
    failure.block.foreach(block => worker.foreach(_.throwFetchFailure(block, failure)))
    if (neverStarted(error, worker)) WorkerHealth.failedToStart()
    if (failure.defect) report(failure, error)
    worker.foreach(_.finish())
    ReplayingTasks.add(context)
    failure
  }

  private def replayable(error: Throwable): Boolean = error match {
    case _: FetchFailedException | _: TaskKilledException | _: ClosedByInterruptException => false
    // Classes of another Spark than the jar was made for are our fault, not the user's.
    case NonFatal(_) | _: LinkageError => context.fetchFailed.isEmpty
    case _ => false
  }

  /** Whether Python itself said no before anything ran; a worker that dies says nothing. */
  private def neverStarted(error: Throwable, worker: Option[WorkerRun[_]]): Boolean =
    worker.isEmpty || (!worker.exists(_.answered) && error.isInstanceOf[PythonException])

  private def report(failure: FragmentFailure, error: Throwable): Unit = {
    if (program.strict) {
      throw new SparkException(
        "Broadhead's engine failed, and spark.broadhead.strict is true: " +
          s"${failure.reason}\n${failure.traceback}",
        error)
    }
    if (FragmentRecovery.firstReport(program, failure.reason)) {
      logWarning(
        s"Broadhead's engine failed, Spark's own operators run instead (partition " +
          s"$partition): ${failure.reason}\n${failure.traceback}")
    }
  }
}

private[broadhead] object FragmentRecovery {
  private val MaxReports = 1000
  private val reported = ConcurrentHashMap.newKeySet[(Int, String)]()

  /** Whether this executor has not yet told of the reason for the fragment. */
  def firstReport(program: FragmentProgram, reason: String): Boolean =
    reported.size < MaxReports &&
      reported.add((java.util.Arrays.hashCode(program.command), reason))
}
