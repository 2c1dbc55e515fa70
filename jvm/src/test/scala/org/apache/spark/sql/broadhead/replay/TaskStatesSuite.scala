package org.apache.spark.sql.broadhead.replay

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** Each state of a task has one row in the tables of docs/design/replay.md, with its action. */
class TaskStatesSuite extends munit.FunSuite {
  import Outcome._
  import TaskAction._

  private val columns: Map[String, TaskState => Boolean] = Map(
    "Spark's operators" -> (_.hasReplay),
    "workers start" -> (_.workersStart),
    "gives rows" -> (_.whole),
    "rows repeatable" -> (_.repeatable),
    "attempt" -> (_.furtherAttempt),
    "attempts allowed" -> (_.onlyAttempt),
    "strict" -> (_.strict),
    "rows delivered" -> (_.delivered))

  private val words: Map[String, Boolean] = Map(
    "yes" -> true,
    "no" -> false,
    "all at the end" -> true,
    "batch by batch" -> false,
    "a further one" -> true,
    "the first" -> false,
    "one" -> true,
    "several" -> false)

  private val outcomes: Map[String, Outcome] = Map(
    "a source of the task failed" -> SourceFailed,
    "the task is lost" -> TaskLost,
    "user error" -> UserError,
    "shuffle block lost" -> BlockLost,
    "a row would raise" -> WouldRaise,
    "defect" -> Defect)

  private val actions: Map[String, TaskAction] = Map(
    "use the engine" -> UseEngine,
    "use the engine, rows held back" -> UseEngineHeldBack,
    "replay from the start" -> ReplayFromStart,
    "replay, skip delivered rows" -> ReplayRest,
    "Spark's error, or a retryable one" -> FailForRetry,
    "throw the error" -> ThrowError,
    "throw the defect" -> ThrowDefect,
    "throw a fetch failure" -> ThrowFetchFailure,
    "throw `PythonException`" -> ThrowUserError)

  private type Row = Map[String, String]

  /** The rows of each table of the file that ends in a column "action", by column. */
  private lazy val tables: Seq[Seq[Row]] = {
    val lines = Files.readAllLines(Path.of("docs", "design", "replay.md")).asScala.toSeq
    val starts = lines.indices.filter(i => lines(i).endsWith("| action |"))
    starts.map { start =>
      val names = cells(lines(start))
      lines.drop(start + 2).takeWhile(_.startsWith("|")).map(line => names.zip(cells(line)).toMap)
    }
  }

  private def cells(line: String): Seq[String] =
    line.stripPrefix("|").stripSuffix("|").split('|').toSeq.map(_.trim)

  private val states: Seq[TaskState] = {
    val flags = Seq(false, true)
    for {
      hasReplay <- flags
      workersStart <- flags
      whole <- flags
      repeatable <- flags
      furtherAttempt <- flags
      onlyAttempt <- flags
      strict <- flags
      delivered <- flags
    } yield TaskState(hasReplay, workersStart, whole, repeatable, furtherAttempt, onlyAttempt,
      strict, delivered)
  }

  private def describes(row: Row, state: TaskState): Boolean = row.forall {
    case ("action" | "outcome", _) | (_, "any") => true
    case (name, word) => columns(name)(state) == words(word)
  }

  private def actionOf(rows: Seq[Row], state: TaskState): TaskAction = {
    val found = rows.filter(describes(_, state))
    assertEquals(found.length, 1, s"rows for $state: $found")
    actions(found.head("action"))
  }

  test("a task begins as the first table says") {
    val rows = tables(0)
    states.foreach(state =>
      assertEquals(TaskStates.begin(state): TaskAction, actionOf(rows, state)))
  }

  test("a task goes on after a failure as the second table says") {
    val rows = tables(1)
    outcomes.foreach { case (word, outcome) =>
      val own = rows.filter(row => row("outcome").split(", ").contains(word))
      states.foreach { state =>
        val action: TaskAction = TaskStates.afterFailure(outcome, state)
        assertEquals(action, actionOf(own, state), s"$outcome in $state")
      }
    }
  }

  test("the tables have no row that describes nothing") {
    assertEquals(tables.length, 2)
    val named = tables(1).flatMap(_("outcome").split(", ")).toSet
    assertEquals(named, outcomes.keySet)
    tables.flatten.foreach { row =>
      assert(states.exists(describes(row, _)), row)
      assert(actions.contains(row("action")), row)
    }
  }

  test("an error of the user is never made good") {
    states.foreach(state =>
      assertEquals(TaskStates.afterFailure(UserError, state): TaskAction, ThrowUserError))
  }
}
