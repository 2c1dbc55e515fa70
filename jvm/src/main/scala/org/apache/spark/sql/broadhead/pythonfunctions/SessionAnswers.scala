package org.apache.spark.sql.broadhead.pythonfunctions

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat
import java.util.concurrent.{Future, TimeUnit, TimeoutException}

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.util.ThreadUtils

/**
 * The answers to the questions of a session, which one process gives.
 *
 * It starts with the first question. A question without an answer in time is not asked again, and
 * the next one has a new process.
 */
private[pythonfunctions] class SessionAnswers extends Logging {
  private val thread = ThreadUtils.newDaemonCachedThreadPool("broadhead functions", 1)

  /** By digests, since questions contain the functions with all that these have captured. */
  private val asked = new RecentlyUsed[String, Future[Option[FunctionAnswer]]](
    SessionAnswers.MostQuestions,
    _ => ())

  // Only the thread uses these.
  private var process: Option[AnsweringProcess] = None
  private var ended = false

  /** @param wait whether to wait, no longer than one answer may take */
  def answer(question: String, wait: Boolean): Option[FunctionAnswer] = {
    val asking = asked.get(SessionAnswers.digest(question)) {
      thread.submit[Option[FunctionAnswer]](() => ask(question))
    }
    if (wait || asking.isDone) {
      try asking.get(AnsweringProcess.Seconds, TimeUnit.SECONDS)
      catch { case _: TimeoutException => None }
    } else {
      None
    }
  }

  private def ask(question: String): Option[FunctionAnswer] =
    try {
      if (!ended && !process.exists(_.isAlive)) process = Some(AnsweringProcess.start())
      process.map(_.ask(question))
    } catch {
      case NonFatal(error) =>
        stop()
        logInfo("Broadhead cannot tell whether a Python function becomes an expression", error)
        None
    }

  /** Ends the process; no question is answered any more. */
  def end(): Unit = thread.execute { () =>
    ended = true
    stop()
  }

  private def stop(): Unit = {
    process.foreach(_.end())
    process = None
  }
}

private object SessionAnswers {
  private val MostQuestions = 1000

  private def digest(question: String): String =
    HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(question.getBytes(UTF_8)))
}
