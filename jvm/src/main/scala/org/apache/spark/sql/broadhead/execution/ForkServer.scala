package org.apache.spark.sql.broadhead.execution

import java.io.IOException
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.CompletableFuture

import scala.util.Properties

import io.broadhead.{BuildInfo, Settings}

import org.apache.spark.SparkConf
import org.apache.spark.api.python.PythonUtils
import org.apache.spark.internal.config.Python.PYTHON_USE_DAEMON
import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.application.{BroadheadState, ExecutorProbe, PythonReport, WorkerEnvironment}
import org.apache.spark.sql.broadhead.sockets.{PrivateFiles, ServingProcess}
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.util.{ShutdownHookManager, Utils}

/**
 * A process that has loaded the engine, and of which this executor's Python workers are copies.
 *
 * It is loaded while the program still opens its tables, and once for all applications of a JVM.
 * So neither the first query nor that of a further application waits for imports, and workers
 * share the memory of what is loaded.
 */
object ForkServer extends Logging {
  @volatile private var current: Option[Start] = None

  /** A start in the background; its result is None if tasks run without the process. */
  private class Start(val isLocal: Boolean) extends CompletableFuture[Option[Server]]

  /**
   * @param interpreter command of the Python whose copies it starts
   * @param script to be given to Spark as the interpreter
   */
  private case class Server(
      process: Process,
      interpreter: String,
      environment: Map[String, String],
      script: Path) {

    def serves(python: PythonReport, variables: Map[String, String]): Boolean =
      process.isAlive && interpreter == python.interpreter && environment == variables

    def end(): Unit = process.getOutputStream.close()
  }

  /** Starts it in the background, unless it runs; without effect if that fails. */
  def start(conf: SparkConf): Unit = if (isUseful(conf)) {
    val last = current
    val next = new Start(Utils.isLocalMaster(conf))
    current = Some(next)
    val thread = new Thread(
      () => { val _ = next.complete(guarded(conf, last.flatMap(_.get()))) },
      "broadhead fork server")
    thread.setDaemon(true)
    thread.start()
  }

  /** Whether the first workers of a local application would wait for it. */
  def isAwaited: Boolean = current.exists(start => start.isLocal && !start.isDone)

  /** What Spark is to start as this interpreter; waits until it is known. */
  private[execution] def command(interpreter: String): String =
    current
      .flatMap(_.get())
      .filter(server => server.interpreter == interpreter && server.process.isAlive)
      .fold(interpreter)(_.script.toString)

  /**
   * Only daemons are copies. On macOS libraries may fail in the copies of a process. YARN counts
   * what processes share once for each, and would end an executor for it.
   */
  private[execution] def isUseful(conf: SparkConf): Boolean = {
    val enabled = conf.get(Settings.Enabled.key, Settings.Enabled.defaultText)
    val onYarn = conf.get("spark.master", "local").startsWith("yarn")
    val hasDaemon = conf.get(PYTHON_USE_DAEMON)
    Settings.Enabled.valueOf(enabled) && hasDaemon && !onYarn && Properties.isLinux
  }

  /** An exception of any thread would end an executor. */
  private def guarded(conf: SparkConf, last: Option[Server]): Option[Server] =
    try {
      val variables = environment(conf)
      val python = ExecutorProbe.python.orElse(BroadheadState.python)
      python.filter(suits).flatMap { report =>
        last.filter(_.serves(report, variables)).orElse {
          last.foreach(_.end())
          Some(started(report.interpreter, variables))
        }
      }
    } catch {
      case Recoverable(error) =>
        logInfo("Broadhead's workers import the engine themselves", error)
        None
    }

  /** Tasks on a GPU have a process of their own. */
  private def suits(python: PythonReport): Boolean = python.fault.isEmpty && python.gpus.isEmpty

  private def started(interpreter: String, variables: Map[String, String]): Server = {
    val directory = PrivateFiles.socketDirectory("broadhead-fork-")
    ShutdownHookManager.registerShutdownDeleteDir(directory.toFile)
    val script = write(directory, interpreter)
    val program =
      "import sys; from pathlib import Path; path = list(sys.path); sys.path[:0] = sys.argv[2:]; " +
        "from broadhead.worker.fork_server import serve; serve(Path(sys.argv[1]), path)"
    val command = Seq(interpreter, "-c", program, s"$directory") ++ BuildInfo.pythonPath
    Server(ServingProcess.start(command, variables), interpreter, variables, script)
  }

  /** The script that Spark starts as the interpreter, with its arguments. */
  private def write(directory: Path, interpreter: String): Path = {
    val client = PrivateFiles.file(directory.resolve("client.py"))
    Files.writeString(client, BuildInfo.resource("worker/fork_client.py"))
    val quoted = Seq(interpreter, s"$client", s"${directory.resolve("fork")}").map(quote)
    val script = PrivateFiles.file(directory.resolve("python"))
    Files.writeString(
      script,
      s"""#!/bin/sh\nexec ${quoted(0)} -I -S ${quoted(1)} ${quoted(2)} ${quoted(0)} "$$@"\n""")
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"))
    if (!Files.isExecutable(script))
      throw new IOException(s"files in $directory cannot be run: it is mounted with noexec")
    script
  }

  private def quote(text: String): String = "'" + text.replace("'", "'\\''") + "'"

  /** The variables of Spark's daemons that libraries may read while they are loaded. */
  private def environment(conf: SparkConf): Map[String, String] = {
    val own = WorkerEnvironment.memory ++ WorkerEnvironment.of(conf)
    val path = PythonUtils.mergePythonPaths(
      PythonUtils.sparkPythonPath,
      own.getOrElse("PYTHONPATH", ""),
      sys.env.getOrElse("PYTHONPATH", ""))
    Map("OMP_NUM_THREADS" -> conf.get("spark.task.cpus", "1")) ++ own +
      ("PYTHONPATH" -> path) +
      ("PYTHONUNBUFFERED" -> "YES")
  }
}
