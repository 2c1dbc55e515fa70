package org.apache.spark.sql.broadhead.pythonfunctions

import java.io.{BufferedReader, BufferedWriter, InputStreamReader, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.ObjectNode
import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.SparkFiles
import org.apache.spark.api.python.PythonUtils
import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.application.{BroadheadState, PythonProbe}
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, Json, TimeZoneRules}
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.util.ThreadUtils

/**
 * The place of an operator's calls.
 *
 * @param reasons why each function is called; None for one that is computed as an expression
 */
private[broadhead] case class FunctionAnswer(place: FunctionPlace, reasons: Seq[Option[String]])

/**
 * Where Python functions run, by the code that decides it in the workers.
 *
 * A Python process of the driver answers. It starts with the first question; an answer is kept.
 */
private[broadhead] object FunctionAnswers extends Logging {
  private val known = new ConcurrentHashMap[String, FunctionAnswer]()
  private lazy val thread =
    Executors.newSingleThreadExecutor(ThreadUtils.namedThreadFactory("broadhead functions"))
  private var process: Option[AnsweringProcess] = None
  @volatile private var broken = false

  /** Where an operator's functions run on a host with a GPU. */
  def placeOf(operator: PythonOperator): FunctionPlace =
    of(operator, wait = true).map(_.place).getOrElse(FunctionPlace.Host)

  /**
   * The place of an operator's calls, and why functions are called.
   *
   * @param wait whether to wait for an answer that is not known yet
   */
  def of(operator: PythonOperator, wait: Boolean): Option[FunctionAnswer] = {
    val question = questionOf(operator)
    Option(known.get(question)).orElse {
      if (broken) {
        None
      } else {
        val asked = thread.submit[Option[FunctionAnswer]](() => ask(question))
        if (wait) asked.get() else None
      }
    }
  }

  private def ask(question: String): Option[FunctionAnswer] =
    Option(known.get(question)).orElse {
      try {
        if (!process.exists(_.isAlive)) process = Some(AnsweringProcess.start())
        val answer = process.get.ask(question)
        known.put(question, answer)
        Some(answer)
      } catch {
        case NonFatal(error) =>
          broken = true
          process.foreach(_.end())
          logInfo("Broadhead cannot tell which Python functions become expressions", error)
          None
      }
    }

  private def questionOf(operator: PythonOperator): String = {
    val settings = new Settings(operator.conf)
    val encoder = new ExpressionEncoder(new ExpressionSupport(Capabilities.ofJar, settings))
    val fields = operator match {
      case eval: BroadheadEvalPython =>
        new PythonCallEncoder(encoder, Nil, eval.conf)
          .encode(overReferences(eval.calls), eval.evalType)
      case other => other.encodeFields(encoder)
    }
    val node: ObjectNode = Json.obj(fields: _*)
    node.set("op", Json.text(operator.operatorName))
    Json.write(
      Json.obj(
        "node" -> node,
        "zones" -> TimeZoneRules.encode(encoder.timeZones),
        "trace" -> Json.bool(settings.pythonTrace),
        "accelerate" -> Json.text(settings.pythonAccelerate),
        "paths" -> Json.texts(paths(operator.calls))))
  }

  /** The calls with references in place of their arguments' expressions. */
  private def overReferences(calls: Seq[PythonCall]): Seq[PythonCall] = {
    val values = calls.flatMap(_.arguments.map(_.value))
    calls.map { call =>
      call.copy(arguments = call.arguments.map { case PythonArgument(name, value) =>
        val number = values.indexWhere(_.semanticEquals(value))
        PythonArgument(name, BoundReference(number, value.dataType, value.nullable))
      })
    }
  }

  private def paths(calls: Seq[PythonCall]): Seq[String] = {
    val root = SparkFiles.getRootDirectory()
    val includes = calls.flatMap(_.functions.flatMap(_.pythonIncludes.asScala)).distinct
    root +: includes.map(name => java.nio.file.Paths.get(root).resolve(name).toString)
  }
}

/** A Python process that answers questions, one line each. */
private class AnsweringProcess(process: Process) {
  private val input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream, UTF_8))
  private val output = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
  private val reader =
    Executors.newSingleThreadExecutor(ThreadUtils.namedThreadFactory("broadhead answers"))

  def isAlive: Boolean = process.isAlive

  def ask(question: String): FunctionAnswer = {
    input.write(question)
    input.newLine()
    input.flush()
    val line = reader
      .submit[String](() => output.readLine())
      .get(AnsweringProcess.Seconds, TimeUnit.SECONDS)
    if (line == null) throw new IllegalStateException("the process has ended without an answer")
    val answer = Json.parse(line)
    FunctionAnswer(
      FunctionPlace.named(answer.get("place").asText),
      answer.get("reasons").elements().asScala.toSeq.map { reason =>
        Option.when(!reason.isNull)(reason.asText)
      })
  }

  def end(): Unit = {
    process.destroyForcibly()
    reader.shutdownNow()
    ()
  }
}

private object AnsweringProcess {

  /** Longer than the start of Python and the import of the user's modules. */
  val Seconds = 20L

  private val Program =
    "import sys; sys.path[:0] = [p for p in sys.argv[1:] if p]; " +
      "from broadhead.worker.user_functions.function_answers import serve; serve()"

  /** It ends with its standard input, however the driver ends. */
  def start(): AnsweringProcess = {
    val python = BroadheadState.python.getOrElse(
      throw new IllegalStateException("the Python of the executors is not known"))
    val builder =
      new ProcessBuilder(python.interpreter, "-c", Program, BuildInfo.pythonPath.getOrElse(""))
    builder.redirectError(ProcessBuilder.Redirect.DISCARD)
    val environment = builder.environment()
    environment.put(PythonProbe.SafePath, "1")
    environment.put(
      "PYTHONPATH",
      PythonUtils.mergePythonPaths(
        PythonUtils.sparkPythonPath,
        sys.env.getOrElse("PYTHONPATH", "")))
    new AnsweringProcess(builder.start())
  }
}
