package org.apache.spark.sql.broadhead.pythonfunctions

import java.io.{BufferedReader, BufferedWriter, InputStreamReader, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import io.broadhead.BuildInfo

import org.apache.spark.api.python.PythonUtils
import org.apache.spark.sql.broadhead.application.{BroadheadState, PythonProbe}
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.gpu.ExecutionTarget
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.util.ThreadUtils

/** A Python process that answers questions, one line each. */
private[pythonfunctions] class AnsweringProcess(process: Process) {
  import AnsweringProcess.Seconds

  private val input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream, UTF_8))
  private val output = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
  private val talk =
    Executors.newSingleThreadExecutor(ThreadUtils.namedThreadFactory("broadhead answers"))

  def isAlive: Boolean = process.isAlive

  def ask(question: String): FunctionAnswer = {
    val line = talk.submit[String](() => reply(question)).get(Seconds, TimeUnit.SECONDS)
    if (line == null) throw new IllegalStateException("the process has ended without an answer")
    val answer = Json.parse(line)
    FunctionAnswer(
      ExecutionTarget.named(answer.get("target").asText),
      answer.get("reasons").elements().asScala.toList.map { reason =>
        Optional.when(!reason.isNull)(reason.asText)
      })
  }

  private def reply(question: String): String = {
    input.write(question)
    input.newLine()
    input.flush()
    output.readLine()
  }

  def end(): Unit = {
    process.destroyForcibly()
    talk.shutdownNow()
    ()
  }
}

private[pythonfunctions] object AnsweringProcess {

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
