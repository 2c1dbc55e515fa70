package org.apache.spark.sql.broadhead.gpu

import java.io.{BufferedReader, InputStreamReader, IOException, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.sql.broadhead.application.{Gpu, PythonProbe}
import org.apache.spark.sql.broadhead.sockets.PrivateFiles
import org.apache.spark.sql.broadhead.versions.Optional

/**
 * NVIDIA's Multi-Process Service for this executor's workers, one for each of its GPUs: an error
 * on one does not end the workers of the others.
 *
 * A Python process runs it and ends with this process; only these workers can reach it.
 */
private[broadhead] object MultiProcessService extends Logging {
  private val PipeDirectory = "CUDA_MPS_PIPE_DIRECTORY"

  /** The lines printed by its process. */
  val Ready = "ready (.+)".r
  val Lost = "lost (.+)".r

  /** The directory of a service started by the host's administrator. */
  private val HostService = Paths.get("/tmp/nvidia-mps")

  private val services = new ConcurrentHashMap[Gpu, Option[RunningService]]()

  private def service(gpu: Gpu): Option[RunningService] =
    try if (isWanted(SparkEnv.get.conf)) start(SparkEnv.get.conf, gpu) else None
    catch {
      case NonFatal(error) =>
        logInfo("Broadhead uses the GPU without the Multi-Process Service", error)
        None
    }

  /**
   * The variables by which workers find the service of a GPU; empty without a service of ours. They change
   * when the service is restarted, so that workers of the former one get no further tasks.
   */
  def environment(gpu: Gpu): Map[String, String] =
    services
      .computeIfAbsent(gpu, service)
      .flatMap(_.pipes)
      .fold(Map.empty[String, String])(pipes => Map(PipeDirectory -> pipes))

  private def start(conf: SparkConf, gpu: Gpu): Option[RunningService] = {
    val directory = PrivateFiles.socketDirectory("broadhead-mps-")
    val process = PythonProbe.start(
      PythonProbe.interpreter(conf),
      "worker/multi_process_service.py",
      directory.toString +: served(gpu))(_.redirectError(ProcessBuilder.Redirect.DISCARD))
    val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    Option(lines.readLine()).getOrElse("its process ended") match {
      case Ready(pipes) =>
        Some(new RunningService(pipes, lines, process.getOutputStream))
      case problem =>
        logInfo(s"Broadhead uses the GPU without the Multi-Process Service: $problem")
        None
    }
  }

  /** The devices of the service: all that there are if workers count them. */
  private def served(gpu: Gpu): Seq[String] = Optional.when(!gpu.isNumber)(gpu.device).toSeq

  /** Workers find an existing service of the host by themselves. */
  private def isWanted(conf: SparkConf): Boolean = {
    val setting = Settings.GpuMultiProcessService
    setting.valueOf(conf.get(setting.key, setting.defaultText)) &&
    !sys.env.contains(PipeDirectory) &&
    !conf.contains(s"spark.executorEnv.$PipeDirectory") &&
    !Files.exists(HostService.resolve("control"))
  }
}

/**
 * A running service, which is restarted if it ends.
 *
 * @param first directory of its pipes
 * @param lines further output of its process
 * @param input kept open for the life of this process: the service ends when its input does
 */
private class RunningService(first: String, lines: BufferedReader, input: OutputStream)
    extends Logging {
  import MultiProcessService.{Lost, Ready}

  @volatile private var current: Option[String] = Some(first)

  /** The directory of its pipes; None while it does not run. */
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
