package org.apache.spark.sql.broadhead.application

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.api.plugin.PluginContext
import org.apache.spark.internal.config.PYSPARK_PYTHON
import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.memory.EngineMemory
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.util.{ShutdownHookManager, Utils}

/** Checks the Python that executors use. */
private[broadhead] object PythonProbe {

  /** The interpreter of the user's Python functions, the same on every machine. */
  def interpreter(conf: SparkConf): String =
    conf.get(PYSPARK_PYTHON).orElse(sys.env.get("PYSPARK_PYTHON")).getOrElse("python3")

  /**
   * Whether only the executors have the interpreter: a relative path leads into an archive that
   * they unpack (`spark.archives`), and the driver's host need not have it.
   */
  def isOnlyOnExecutors(conf: SparkConf): Boolean = {
    val command = interpreter(conf)
    command.contains('/') && !command.startsWith("/") && !Files.exists(Paths.get(command)) &&
    !Utils.isLocalMaster(conf)
  }

  /** Checks that fit: the next application of this process need not repeat them. */
  private val fitting = new ConcurrentHashMap[Question, PythonReport]()

  /** @param gpus the addresses of the GPUs that Spark gives; empty for all that there are */
  def run(conf: SparkConf, gpus: Seq[String]): PythonReport = {
    val question = Question(interpreter(conf), gpus, Gpu.chosenByUser(conf))
    Option(fitting.get(question)).getOrElse {
      val report = check(conf, question)
      if (report.fault.isEmpty) fitting.put(question, report)
      report
    }
  }

  private def check(conf: SparkConf, question: Question): PythonReport = {
    val command = question.interpreter
    val timeout = Settings.ProbeTimeout.valueOf(
      conf.get(Settings.ProbeTimeout.key, Settings.ProbeTimeout.defaultText))
    try ask(question, timeout)
    catch {
      case error: IOException => PythonReport.failed(command, s"cannot run (${error.getMessage})")
      case NonFatal(error) => PythonReport.failed(command, s"cannot be checked ($error)")
    }
  }

  private def ask(question: Question, timeoutSeconds: Long): PythonReport = {
    val command = question.interpreter
    val process = start(command, "worker/probe.py", question.gpus) { builder =>
      builder.environment().putAll(question.environment.asJava)
      builder.redirectErrorStream(true)
    }
    val atExit = ShutdownHookManager.addShutdownHook(() => end(process))
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
    } finally {
      ShutdownHookManager.removeShutdownHook(atExit)
      end(process)
    }
  }

  /** A wrapper around Python may have started other processes, which are ended as well. */
  private def end(process: Process): Unit = {
    val children = process.descendants().toList.asScala
    process.destroyForcibly()
    children.foreach(_.destroyForcibly())
  }

  /**
   * Runs a file of the Python package, without the current directory on Python's path. Otherwise
   * a user with write access to this directory could have another user run his `json.py`.
   */
  def start(interpreter: String, resource: String, arguments: Seq[String])(
      prepare: ProcessBuilder => ProcessBuilder): Process = {
    val command = Seq(interpreter, "-c", BuildInfo.resource(resource)) ++ arguments
    val builder = prepare(new ProcessBuilder(command: _*))
    // Pythons before 3.11 ignore the variable: for them the file removes the directory itself.
    builder.environment().put(SafePath, "1")
    builder.start()
  }

  /** Environment variable that keeps the current directory off Python's path. */
  val SafePath: String = "PYTHONSAFEPATH"

  private def readReport(command: String, output: String, status: Int): PythonReport =
    output.linesIterator.toList.reverseIterator.find(_.startsWith("{")) match {
      case Some(line) if status == 0 => PythonReport.fromProbe(command, Json.parse(line))
      case _ =>
        val ending = output.trim.linesIterator.toList.lastOption.getOrElse("no output")
        PythonReport.failed(command, s"failed with status $status ($ending)")
    }
}

/** What a check asks of an interpreter, and with which variables. */
private case class Question(
    interpreter: String,
    gpus: Seq[String],
    environment: Map[String, String])

/** Checks an executor's own Python and reports it, with its memory, to the driver. */
object ExecutorProbe extends Logging {

  /** The report of this executor; None where the driver's probe stands for it. */
  @volatile private var own: Option[CompletableFuture[PythonReport]] = None

  def start(plugin: PluginContext): Unit =
    // In local mode the executor is the driver's JVM, which has its own probe.
    if (plugin.executorID() != SparkContext.DRIVER_IDENTIFIER) {
      val found = new CompletableFuture[PythonReport]()
      own = Some(found)
      val thread = new Thread(() => guarded(plugin, found), "broadhead probe")
      thread.setDaemon(true)
      thread.start()
    }

  /**
   * This executor's Python; the first task waits for its check. Otherwise the engine would run in
   * a Python whose libraries are too old for right results.
   */
  private[broadhead] def python: Option[PythonReport] = own.map(_.get())

  /** Whether fragments can run in this executor's Python. */
  private[broadhead] def fits: Boolean = python.forall(_.fault.isEmpty)

  /** An exception of any thread ends an executor, so this thread throws none. */
  private def guarded(plugin: PluginContext, found: CompletableFuture[PythonReport]): Unit =
    try {
      // It has a timeout of its own, and gives a report of any failure.
      val resource = Option(plugin.resources().get(Gpu.Resource))
      val report = PythonProbe.run(plugin.conf(), resource.toSeq.flatMap(_.addresses))
      found.complete(report)
      send(plugin, report)
    } catch {
      case Recoverable(error) =>
        logWarning("Broadhead could not report the Python of this executor to the driver", error)
        // Without effect where the check itself has ended.
        val command = PythonProbe.interpreter(plugin.conf())
        found.complete(PythonReport.failed(command, s"cannot be checked ($error)"))
    }

  private def send(plugin: PluginContext, found: PythonReport): Unit = {
    val memory = EngineMemory.ofExecutor
    val message = Json.obj(
      "executor" -> Json.text(plugin.executorID()),
      // The plugin's own host name requires an RPC address, which executors do not have.
      "host" -> Json.text(Utils.localHostName()),
      "memory" -> Json.number(memory.most),
      "tasks" -> Json.number(memory.atOnce),
      "report" -> found.toJson)
    // The driver's RPC class loader may not find the plugin's classes, so a string is sent.
    plugin.send(Json.write(message))
  }
}
