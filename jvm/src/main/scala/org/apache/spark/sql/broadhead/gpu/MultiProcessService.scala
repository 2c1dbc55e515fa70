package org.apache.spark.sql.broadhead.gpu

import java.io.{BufferedReader, InputStreamReader, IOException, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.util.control.NonFatal

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.sql.broadhead.application.PythonProbe
import org.apache.spark.sql.broadhead.execution.PrivateFiles

/**
 * NVIDIA's Multi-Process Service for the workers of this executor that use a GPU.
 *
 * A process of Python runs it, which ends with this one; nothing but these workers can reach it.
 */
private[broadhead] object MultiProcessService extends Logging {
  private val PipeDirectory = "CUDA_MPS_PIPE_DIRECTORY"

  /** The lines of its process. */
  val Ready = "ready (.+)".r
  val Lost = "lost (.+)".r

  /** Where a service of the host's administrator is found. */
  private val HostService = Paths.get("/tmp/nvidia-mps")

  private lazy val service: Option[RunningService] =
    try if (isWanted(SparkEnv.get.conf)) start(SparkEnv.get.conf) else None
    catch {
      case NonFatal(error) =>
        logInfo("Broadhead uses the GPU without the Multi-Process Service", error)
        None
    }

  /**
   * What workers find the service by; nothing where they use the GPU without ours. It changes when
   * the service is started again, so that workers of the one before get no further tasks.
   */
  def environment: Map[String, String] =
    service.flatMap(_.pipes).fold(Map.empty[String, String])(pipes => Map(PipeDirectory -> pipes))

  private def start(conf: SparkConf): Option[RunningService] = {
    val directory = PrivateFiles.socketDirectory("broadhead-mps-")
    val process = PythonProbe.start(
      PythonProbe.interpreter(conf),
      "worker/multi_process_service.py",
      Seq(directory.toString))(_.redirectError(ProcessBuilder.Redirect.DISCARD))
    val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    Option(lines.readLine()).getOrElse("its process ended") match {
      case Ready(pipes) =>
        Some(new RunningService(pipes, lines, process.getOutputStream))
      case problem =>
        logInfo(s"Broadhead uses the GPU without the Multi-Process Service: $problem")
        None
    }
  }

  /** Workers find a service that is there already by themselves. */
  private def isWanted(conf: SparkConf): Boolean = {
    val setting = Settings.GpuMultiProcessService
    setting.valueOf(conf.get(setting.key, setting.defaultText)) &&
    !sys.env.contains(PipeDirectory) &&
    !conf.contains(s"spark.executorEnv.$PipeDirectory") &&
    !Files.exists(HostService.resolve("control"))
  }
}

/**
 * A service that runs, and is started again if it ends.
 *
 * @param first directory of its pipes
 * @param lines what its process says from now on
 * @param input held for the life of this process: the service ends when its input does
 */
private class RunningService(first: String, lines: BufferedReader, input: OutputStream)
    extends Logging {
  import MultiProcessService.{Lost, Ready}

  @volatile private var current: Option[String] = Some(first)

  /** The directory of its pipes; none while it does not run. */
  def pipes: Option[String] = current

  private val thread = new Thread(() => follow(), "broadhead multi-process service")
  thread.setDaemon(true)
  thread.start()

  /** Each line in turn, until the process ends. */
  private def follow(): Unit = {
    var reason = "its process ended"
    try
      Iterator.continually(lines.readLine()).takeWhile(_ != null).foreach {
        case Lost(why) =>
          current = None
          reason = why
        case Ready(pipes) =>
          logWarning(s"The Multi-Process Service of the GPU was started again: $reason")
          current = Some(pipes)
        case problem => reason = s"$reason; $problem"
      }
    catch { case error: IOException => reason = error.toString }
    current = None
    logWarning(s"Broadhead uses the GPU without the Multi-Process Service from now on: $reason")
    input.close()
  }
}
