package org.apache.spark.sql.broadhead.application

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.api.plugin.PluginContext
import org.apache.spark.internal.config.PYSPARK_PYTHON
import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.broadhead.encoding.Json

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

/** Checks an executor's own Python and tells the driver. */
object ExecutorProbe extends Logging {

  def start(plugin: PluginContext): Unit =
    // In local mode the executor is the driver's JVM, which has its own probe.
    if (plugin.executorID() != SparkContext.DRIVER_IDENTIFIER) {
      val thread = new Thread(() => report(plugin), "broadhead probe")
      thread.setDaemon(true)
      thread.start()
    }

  private def report(plugin: PluginContext): Unit = {
    val found = PythonProbe.run(plugin.conf())
    // Spark's `gpu` resource says which devices are this executor's; without it, one is used.
    val own = Option(plugin.resources().get("gpu")).map(_.addresses.toSeq)
    val gpus = if (found.gpus.isEmpty) Nil else own.getOrElse(found.gpus.take(1))
    val fault = found.fault.map(text =>
      s"$text (executor ${plugin.executorID()} on " +
        s"${plugin.hostname()})")
    val message = Json.obj(
      "executor" -> Json.text(plugin.executorID()),
      "report" -> found.copy(gpus = gpus, fault = fault).toJson)
    // The driver's RPC class loader may not know the plugin's classes, so a text is sent.
    try plugin.send(Json.write(message))
    catch {
      case NonFatal(error) =>
        logInfo(s"Broadhead could not report this executor's Python to the driver: $error")
    }
  }
}
