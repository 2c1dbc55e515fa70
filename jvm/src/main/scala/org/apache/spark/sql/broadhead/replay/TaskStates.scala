package org.apache.spark.sql.broadhead.replay

/**
 * What decides how a task of a fragment goes on.
 *
 * @param hasReplay whether Spark has operators that give the fragment's rows
 * @param workersStart whether workers of this executor start at all
 * @param whole whether the task gives its rows when it has all of them, so that it can take the
 *              engine's back until it ends; otherwise they go downstream batch by batch
 * @param repeatable whether Spark's operators give the same rows in the same order
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

/** Why a worker gave no further rows. */
private[broadhead] sealed trait Outcome

private[broadhead] object Outcome {

  /** A row source of the task threw: an error of what is below the fragment. */
  case object SourceFailed extends Outcome

  /** Nothing can help the task: it is killed, has to fetch again, or the JVM itself is broken. */
  case object TaskLost extends Outcome

  /** The user's own Python code raised. */
  case object UserError extends Outcome

  /** A shuffle block that the task reads is missing or damaged. */
  case object BlockLost extends Outcome

  /** A row would raise in Spark, or a limit of the engine was met. */
  case object WouldRaise extends Outcome

  /** Something is broken in the engine or around it: no start, a death, a broken protocol. */
  case object Defect extends Outcome
}

/** How a task goes on. */
private[broadhead] sealed trait TaskAction

private[broadhead] object TaskAction {

  /** How a task begins. */
  sealed trait Begin extends TaskAction

  /** How a task goes on when its worker has failed. */
  sealed trait Follow extends TaskAction

  /** Follows that need Spark's own operators. */
  sealed trait Replay extends Follow

  case object UseEngine extends Begin

  /** The engine, which gives no batch before the last one is made, while there is room. */
  case object UseEngineHeldBack extends Begin

  case object ReplayFromStart extends Begin with Replay

  /** Spark's rows behind those that have been delivered. */
  case object ReplayRest extends Replay

  /** Spark's own error, or one that makes Spark try the task again: a replay cannot go on. */
  case object FailForRetry extends Replay

  /** The error as it came. */
  case object ThrowError extends Follow

  /** The defect, with its traceback. */
  case object ThrowDefect extends Follow

  /** Spark makes the block again. */
  case object ThrowFetchFailure extends Follow

  /** Spark's `PythonException`. */
  case object ThrowUserError extends Follow
}

/**
 * All decisions of a task about engine and replay, as functions of its state.
 *
 * The tables in docs/architecture.md, section 4, say the same; a test compares them.
 */
private[broadhead] object TaskStates {
  import Outcome._
  import TaskAction._

  /** What a task does first. */
  def begin(state: TaskState): Begin =
    if (!state.hasReplay) {
      UseEngine
    } else if (!state.workersStart) {
      ReplayFromStart
    } else if (state.whole || state.repeatable) {
      UseEngine
    } else if (state.furtherAttempt) {
      // The attempt before may have failed behind rows that it cannot give again.
      ReplayFromStart
    } else if (state.onlyAttempt) {
      UseEngineHeldBack
    } else {
      UseEngine
    }

  /** What a task does when its worker gives no further rows. */
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
