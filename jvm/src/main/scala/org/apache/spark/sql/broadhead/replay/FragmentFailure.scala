package org.apache.spark.sql.broadhead.replay

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.versions.Optional

/**
 * The reason why a worker failed.
 *
 * @param block the missing or damaged shuffle block, if that is the reason
 */
private[broadhead] class FragmentFailure(
    val outcome: Outcome,
    val reason: String,
    val traceback: String,
    val block: Option[DamagedBlock],
    cause: Throwable)
    extends RuntimeException(reason, cause)

/** The position of a shuffle block that cannot be read. */
private[broadhead] case class DamagedBlock(path: String, offset: Long)

private[broadhead] object FragmentFailure {

  /** The failure in an error frame. */
  def fromFrame(text: String): FragmentFailure = {
    val node = Json.parse(text)
    val outcome = node.path("kind").asText match {
      case "replay" => Outcome.WouldRaise
      case "shuffle" => Outcome.BlockLost
      case "user" => Outcome.UserError
      case _ => Outcome.Defect
    }
    new FragmentFailure(
      outcome,
      node.path("reason").asText,
      node.path("traceback").asText,
      Optional.when(outcome == Outcome.BlockLost)(
        DamagedBlock(node.path("path").asText, node.path("offset").asLong)),
      null)
  }

  /** Any other failure: the worker did not start, died, or broke the protocol. */
  def of(error: Throwable): FragmentFailure = error match {
    case failure: FragmentFailure => failure
    case other =>
      val message = Option(other.getMessage).getOrElse("").trim
      // The last line of a Python traceback has the error.
      val reason = message.linesIterator.toList.lastOption.getOrElse("")
      new FragmentFailure(
        Outcome.Defect,
        s"${other.getClass.getSimpleName}: $reason",
        message,
        None,
        other)
  }
}

/** Whether workers of this executor start. */
private[broadhead] object WorkerHealth extends Logging {
  private val Limit = 3
  private val failures = new AtomicInteger()

  /** A worker that cannot start costs each task a second: after a few, no more are started. */
  def broken: Boolean = failures.get >= Limit

  def failedToStart(): Unit = if (failures.incrementAndGet() == Limit) {
    logWarning(
      s"Workers of Broadhead failed to start $Limit times in a row: from now on this " +
        "executor runs fragments in Spark alone")
  }

  def answered(): Unit = failures.set(0)
}
