package org.apache.spark.sql.broadhead.gpu

import java.io.{BufferedReader, InputStreamReader, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path, Paths}

import scala.util.control.NonFatal

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.sql.broadhead.application.PythonProbe

/**
 * NVIDIA's Multi-Process Service for the workers of this executor that use a GPU.
 *
 * A process of Python runs it, which ends with this one; nothing but these workers can reach it.
 */
private[broadhead] object MultiProcessService extends Logging {
  private val PipeDirectory = "CUDA_MPS_PIPE_DIRECTORY"
  private val Ready = "ready"

  /** Where a service of the host's administrator is found. */
  private val HostService = Paths.get("/tmp/nvidia-mps")

  private val OwnerOnly =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))

  private lazy val running: Option[RunningService] =
    try if (isWanted(SparkEnv.get.conf)) start(SparkEnv.get.conf) else None
    catch {
      case NonFatal(error) =>
        logInfo("Broadhead uses the GPU without the Multi-Process Service", error)
        None
    }

  /** What workers find the service by; nothing where they use the GPU without ours. */
  def environment: Map[String, String] =
    running.fold(Map.empty[String, String])(service =>
      Map(PipeDirectory -> service.directory.toString))

  private def start(conf: SparkConf): Option[RunningService] = {
    // not in Spark's directories: the path of a socket must be short
    val directory = Files.createTempDirectory("broadhead-mps-", OwnerOnly)
    val process = PythonProbe.start(
      PythonProbe.interpreter(conf),
      "worker/multi_process_service.py",
      Seq(directory.toString))(_.redirectError(ProcessBuilder.Redirect.DISCARD))
    val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    val answer = Option(lines.readLine()).getOrElse("its process ended")
    if (answer != Ready) {
      logInfo(s"Broadhead uses the GPU without the Multi-Process Service: $answer")
    }
    Option.when(answer == Ready)(RunningService(directory, process.getOutputStream))
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
 * A service that runs.
 *
 * @param input held for the life of this process: the service ends when its input does
 */
private case class RunningService(directory: Path, input: OutputStream)
