package org.apache.spark.sql.broadhead.gpu

import java.io.{File, IOException}
import java.nio.file.{Files, Path}

import org.apache.spark.internal.Logging
import org.apache.spark.SparkEnv
import org.apache.spark.sql.broadhead.application.Gpu
import org.apache.spark.sql.broadhead.sockets.PrivateFiles
import org.apache.spark.util.ShutdownHookManager

/**
 * The directories of the files with which workers limit the number of this executor's tasks on
 * each of its GPUs.
 *
 * Only the user can enter it, and its name is unpredictable: in a shared directory, other users
 * could create it first, or links in it.
 */
private[broadhead] object GpuPermits extends Logging {

  /**
   * The directory for a GPU; None if it cannot be created in any local directory: then tasks run on the
   * CPU.
   */
  def directory(gpu: Gpu): Option[Path] = parent.map { parent =>
    Files.createDirectories(parent.resolve(s"of-${ExecutorGpus.all.indexOf(gpu)}"))
  }

  private lazy val parent: Option[Path] = {
    val parents = SparkEnv.get.blockManager.diskBlockManager.localDirs.toSeq
    val made = parents.foldLeft[Either[Seq[String], Path]](Left(Nil)) {
      case (Left(reasons), parent) => makeIn(parent).left.map(reasons :+ _)
      case (found, _) => found
    }
    made.left.foreach { reasons =>
      logWarning(
        "Broadhead runs on the CPU in this executor: it cannot create a directory for the " +
          s"GPU permits in any of spark.local.dir (${reasons.mkString("; ")})")
    }
    made.toOption
  }

  private def makeIn(parent: File): Either[String, Path] =
    try {
      val path = PrivateFiles.directory(parent.toPath, "broadhead-gpu-")
      ShutdownHookManager.registerShutdownDeleteDir(path.toFile)
      Right(path)
    } catch { case error: IOException => Left(error.toString) }
}
