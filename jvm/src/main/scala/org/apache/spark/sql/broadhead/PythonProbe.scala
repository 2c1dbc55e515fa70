package org.apache.spark.sql.broadhead

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.SparkConf
import org.apache.spark.internal.config.PYSPARK_PYTHON

/** Asks the Python that executors use what it has. */
private[broadhead] object PythonProbe {

  /** The interpreter of the user's Python functions, on this machine as on any other. */
  def interpreter(conf: SparkConf): String =
    conf.get(PYSPARK_PYTHON).orElse(sys.env.get("PYSPARK_PYTHON")).getOrElse("python3")

  def run(conf: SparkConf): PythonReport = {
    val command = interpreter(conf)
    val timeout = Settings.ProbeTimeout.valueOf(
      conf.get(Settings.ProbeTimeout.key, Settings.ProbeTimeout.defaultText))
    try ask(command, timeout)
    catch {
      case error: IOException => PythonReport.failed(command, s"cannot run (${error.getMessage})")
      case NonFatal(error) => PythonReport.failed(command, s"cannot be checked ($error)")
    }
  }

  private def ask(command: String, timeoutSeconds: Long): PythonReport = {
    val process = new ProcessBuilder(command, "-c", BuildInfo.resource("worker/probe.py"))
      .redirectErrorStream(true)
      .start()
    try {
      process.getOutputStream.close()
      if (process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
        val output = new String(process.getInputStream.readAllBytes(), UTF_8)
        readReport(command, output, process.exitValue())
      } else {
        PythonReport.failed(
          command,
          s"did not answer within $timeoutSeconds seconds " +
            s"(${Settings.ProbeTimeout.key})")
      }
    } finally process.destroyForcibly()
  }

  private def readReport(command: String, output: String, status: Int): PythonReport =
    output.linesIterator.toSeq.reverseIterator.find(_.startsWith("{")) match {
      case Some(line) if status == 0 => PythonReport.fromProbe(command, Json.parse(line))
      case _ =>
        val ending = output.trim.linesIterator.toSeq.lastOption.getOrElse("no output")
        PythonReport.failed(command, s"failed with status $status ($ending)")
    }
}
