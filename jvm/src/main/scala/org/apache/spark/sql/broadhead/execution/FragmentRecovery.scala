package org.apache.spark.sql.broadhead.execution

import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.api.python.PythonException
import org.apache.spark.internal.Logging
import org.apache.spark.shuffle.FetchFailedException
import org.apache.spark.{SparkException, TaskContext, TaskKilledException}
import org.apache.spark.sql.broadhead.application.ExecutorProbe
import org.apache.spark.sql.broadhead.replay.{FragmentFailure, Outcome, ReplayingTasks, TaskAction, TaskState, TaskStates, WorkerHealth}
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.sql.execution.python.UserPythonException

/**
 * Decides by the table of `TaskStates` whether a task uses the engine, and how it continues after
 * a failure.
 *
 * @param hasReplay whether Spark has operators that return the fragment's rows
 * @param delivery when the task's rows go downstream
 */
private[broadhead] class FragmentRecovery(
    program: FragmentProgram,
    partition: FragmentPartition,
    context: TaskContext,
    hasReplay: Boolean = true,
    delivery: Delivery = Delivery.Whole)
    extends Logging {

  /** Whether Spark has this task done before the first worker is ready. */
  private lazy val early =
    ForkServer.isAwaited && !program.strict && SmallInput.is(program, partition)

  /** The first action of the task. */
  def begin(): TaskAction.Begin = {
    val action = TaskStates.begin(state(delivered = false))
    if (action == TaskAction.ReplayFromStart) replaying(if (early) "early" else "replays")
    action
  }

  /** The complete output of a worker, or that of Spark's operators instead. */
  def whole[T, R](start: => WorkerRun[T])(read: WorkerRun[T] => R)(replay: => R): R =
    if (begin() == TaskAction.ReplayFromStart) {
      replay
    } else {
      var worker: Option[WorkerRun[T]] = None
      try {
        worker = Some(start)
        read(worker.get)
      } catch {
        case error: Throwable =>
          afterFailure(error, worker, delivered = false)
          replay
      }
    }

  /** The action of Spark's operators after a failure; throws the error if there is none. */
  def afterFailure(
      error: Throwable,
      worker: Option[WorkerRun[_]],
      delivered: Boolean): TaskAction.Replay = {
    val failure = FragmentFailure.of(error)

    def follow(outcome: Outcome): TaskAction.Replay =
      TaskStates.afterFailure(outcome, state(delivered)) match {
        case TaskAction.ThrowError => throw worker.flatMap(_.sourceFailure).getOrElse(error)
        case TaskAction.ThrowUserError => throw UserPythonException.of(failure.traceback)
        case TaskAction.ThrowDefect => throw strictError(failure, error)
        case TaskAction.ThrowFetchFailure =>
          failure.block.foreach(block => worker.foreach(_.throwFetchFailure(block, failure)))
          // Not a block of a local file that the task reads: treated like any input that the
          // engine refuses.
          follow(Outcome.WouldRaise)
        case replay: TaskAction.Replay =>
          if (outcome == Outcome.Defect) warn(failure)
          worker.foreach(_.finish())
          replaying("replays")
          replay
      }

    val outcome = outcomeOf(error, failure, worker)
    if (outcome == Outcome.Defect && neverStarted(error, worker)) WorkerHealth.failedToStart()
    follow(outcome)
  }

  private def replaying(metric: String): Unit = {
    ReplayingTasks.add(context)
    program.addToMetric(metric, 1)
  }

  private def outcomeOf(
      error: Throwable,
      failure: FragmentFailure,
      worker: Option[WorkerRun[_]]): Outcome =
    if (worker.exists(_.sourceFailure.isDefined)) {
      Outcome.SourceFailed
    } else if (context.isInterrupted() || !recoverable(error) || diedInFunctions(error, worker)) {
      Outcome.TaskLost
    } else {
      failure.outcome
    }

  private def state(delivered: Boolean) = {
    val (whole, repeatable, onlyAttempt) = delivery match {
      case Delivery.Whole => (true, false, false)
      case Delivery.Batches(repeatable, onlyAttempt) => (false, repeatable, onlyAttempt)
    }
    TaskState(
      hasReplay = hasReplay,
      workersStart = ExecutorProbe.fits && !WorkerHealth.broken && !early,
      whole = whole,
      repeatable = repeatable,
      furtherAttempt = context.attemptNumber() > 0,
      onlyAttempt = onlyAttempt,
      strict = program.strict,
      delivered = delivered)
  }

  private def recoverable(error: Throwable): Boolean = error match {
    case _: FetchFailedException | _: TaskKilledException | _: ClosedByInterruptException => false
    case Recoverable(_) => context.fetchFailed.isEmpty
    case _ => false
  }

  /** Whether the user's own code has ended or broken its worker. */
  private def diedInFunctions(error: Throwable, worker: Option[WorkerRun[_]]): Boolean =
    !error.isInstanceOf[FragmentFailure] && worker.exists(_.inFunctions)

  /** Whether Python failed before anything ran; a worker that dies reports no error. */
  private def neverStarted(error: Throwable, worker: Option[WorkerRun[_]]): Boolean =
    worker.isEmpty || (!worker.exists(_.answered) && error.isInstanceOf[PythonException])

  private def strictError(failure: FragmentFailure, error: Throwable) = new SparkException(
    "Broadhead's engine failed, and spark.broadhead.strict is true: " +
      s"${failure.reason}\n${failure.traceback}",
    error)

  private def warn(failure: FragmentFailure): Unit =
    if (FragmentRecovery.firstReport(program, failure.reason)) {
      logWarning(
        s"Broadhead's engine failed, Spark's own operators run instead (partition " +
          s"${partition.index}): ${failure.reason}\n${failure.traceback}")
    }
}

/** When the rows of a task go downstream. */
private[broadhead] sealed trait Delivery

private[broadhead] object Delivery {

  /** When the task has all of them. */
  case object Whole extends Delivery

  /**
   * Batch by batch.
   *
   * @param repeatable whether Spark's operators give the same rows in the same order
   * @param onlyAttempt whether the query fails when the task fails once
   */
  case class Batches(repeatable: Boolean, onlyAttempt: Boolean) extends Delivery
}

private[broadhead] object FragmentRecovery {
  private val MaxReports = 1000
  private val reported = ConcurrentHashMap.newKeySet[(Int, String)]()

  /** Whether this executor has not yet logged the reason for the fragment. */
  def firstReport(program: FragmentProgram, reason: String): Boolean =
    reported.size < MaxReports &&
      reported.add((program.fragment.hashCode, reason))
}
