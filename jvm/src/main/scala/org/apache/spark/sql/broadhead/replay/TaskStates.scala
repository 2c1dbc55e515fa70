package org.apache.spark.sql.broadhead.replay

/**
 * The state of a task of a fragment that decides its next action.
 *
 * @param hasReplay whether Spark has operators that return the fragment's rows
 * @param workersStart whether workers of this executor start at all
 * @param whole whether the task returns its rows only when it has all of them, so that it can
 *   discard the engine's until it ends; otherwise they go downstream batch by batch
 * @param repeatable whether Spark's operators return the same rows in the same order
 * @param furtherAttempt whether the task has failed before
 * @param onlyAttempt whether the query fails when the task fails once
 * @param strict whether a defect is an error instead of a replay
 * @param delivered whether rows of the engine have gone downstream
 */
private[broadhead] case class TaskState(
    hasReplay: Boolean,
    workersStart: Boolean,
    whole: Boolean,
    repeatable: Boolean,
    furtherAttempt: Boolean,
    onlyAttempt: Boolean,
    strict: Boolean,
    delivered: Boolean)

/** Why a worker returned no further rows. */
private[broadhead] sealed trait Outcome

private[broadhead] object Outcome {

  /** A row source of the task threw: an error of the plan below the fragment. */
  case object SourceFailed extends Outcome

  /** The task cannot continue: it is killed, has to fetch again, or the JVM itself is broken. */
  case object TaskLost extends Outcome

  /** The user's own Python code raised. */
  case object UserError extends Outcome

  /** A shuffle block that the task reads is missing or damaged. */
  case object BlockLost extends Outcome

  /** A row would raise in Spark, or the engine has reached a limit. */
  case object WouldRaise extends Outcome

  /** A failure in the engine or around it: no start, a death, a broken protocol. */
  case object Defect extends Outcome
}

/** The next action of a task. */
private[broadhead] sealed trait TaskAction

private[broadhead] object TaskAction {

  /** The first action of a task. */
  sealed trait Begin extends TaskAction

  /** The action of a task after its worker has failed. */
  sealed trait Follow extends TaskAction

  /** Actions that need Spark's own operators. */
  sealed trait Replay extends Follow

  case object UseEngine extends Begin

  /** The engine, which returns no batch before the last one is made, unless memory is full. */
  case object UseEngineHeldBack extends Begin

  case object ReplayFromStart extends Begin with Replay

  /** Spark's rows after the delivered ones. */
  case object ReplayRest extends Replay

  /** Spark's own error, or one that makes Spark retry the task: a replay cannot continue. */
  case object FailForRetry extends Replay

  /** The original error. */
  case object ThrowError extends Follow

  /** The defect, with its traceback. */
  case object ThrowDefect extends Follow

  /** Spark repeats the map task of the block. */
  case object ThrowFetchFailure extends Follow

  /** Spark's `PythonException`. */
  case object ThrowUserError extends Follow
}

/**
 * All decisions of a task about engine and replay, as functions of its state.
 *
 * The tables in docs/design/replay.md have the same content; a test compares them.
 */
private[broadhead] object TaskStates {
  import Outcome._
  import TaskAction._

  /** The first action of a task. */
  def begin(state: TaskState): Begin =
    if (!state.hasReplay) {
      UseEngine
    } else if (!state.workersStart) {
      ReplayFromStart
    } else if (state.whole || state.repeatable) {
      UseEngine
    } else if (state.furtherAttempt) {
      // The attempt before may have failed after rows that this one cannot repeat.
      ReplayFromStart
    } else if (state.onlyAttempt) {
      UseEngineHeldBack
    } else {
      UseEngine
    }

  /** The action of a task when its worker returns no further rows. */
  def afterFailure(outcome: Outcome, state: TaskState): Follow = outcome match {
    case SourceFailed | TaskLost => ThrowError
    case UserError => ThrowUserError
    case BlockLost => ThrowFetchFailure
    case WouldRaise | Defect if !state.hasReplay => ThrowError
    case Defect if state.strict => ThrowDefect
    case WouldRaise | Defect if !state.delivered => ReplayFromStart
    case WouldRaise | Defect if state.repeatable => ReplayRest
    case WouldRaise | Defect => FailForRetry
  }
}
