package org.apache.spark.sql.broadhead.execution

import java.io.{File, IOException}
import java.nio.file.{Files, LinkOption, Path}
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal
import scala.util.{Success, Try}

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.broadhead.sockets.PrivateFiles
import org.apache.spark.util.ThreadUtils

/**
 * Private files of one task, in the executor's own local directories; deleted when it ends.
 *
 * The task can run without them: local directories may be full.
 */
private[broadhead] class TaskFiles(context: TaskContext) extends Logging {
  import TaskFiles._

  private val name = s"broadhead-${context.taskAttemptId()}-${number.incrementAndGet()}"

  /** One in each local directory, which the engine creates if it spills there. */
  val spillDirectories: Seq[File] = startingAt(context.taskAttemptId(), localDirectories)
    .map(parent => new File(parent, name))

  /**
   * The engine stops at its next batch when this file is deleted, and writes into it whether it
   * runs the user's functions; None if no disk has space for it.
   */
  val running: Option[Path] = localDirectories.iterator
    .map(parent => Try(PrivateFiles.file(parent.toPath.resolve(s"$name.running"))))
    .collectFirst { case Success(file) => file }

  /** Whether the engine is in the user's own functions now, or has died there. */
  def inFunctions: Boolean = running.exists { file =>
    Try(Files.readAllBytes(file)).toOption.exists(_.headOption.contains(InFunctions))
  }

  def requestStop(): Unit = running.foreach(Files.deleteIfExists(_))

  /**
   * Files that cannot be deleted are removed with the local directories when the application
   * ends.
   */
  def delete(): Unit = {
    deleted(running.toSeq)
    deleted(spillDirectories.map(_.toPath))
  }

  private def deleted(paths: Seq[Path]): Unit = paths.foreach { path =>
    try deleteTree(path)
    catch { case error: IOException => logWarning(s"Cannot delete $path", error) }
  }
}

private object TaskFiles {
  private val InFunctions: Byte = 1
  private val number = new AtomicLong()

  private def localDirectories: Seq[File] =
    SparkEnv.get.blockManager.diskBlockManager.localDirs.toSeq

  /** Tasks start with different directories, so that all disks are used. */
  private def startingAt(task: Long, directories: Seq[File]): Seq[File] = {
    val (before, from) = directories.splitAt((task % directories.size).toInt)
    from ++ before
  }

  /** Spark's own method starts a process, which takes longer than a small task. */
  private def deleteTree(path: Path): Unit = {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      val entries = Files.newDirectoryStream(path)
      try entries.forEach(deleteTree(_))
      finally entries.close()
    }
    Files.deleteIfExists(path)
    ()
  }
}

/**
 * Notifies the engine when its task is killed.
 *
 * A kill that does not interrupt the thread only sets a flag, and the thread waits for the
 * worker. So one thread of the executor polls the flags of all tasks.
 */
private[broadhead] object KillWatch extends Logging {
  private val IntervalMillis = 100L
  private val running = new ConcurrentHashMap[TaskFiles, TaskContext]()

  private lazy val start: Unit = {
    val scheduler = ThreadUtils.newDaemonSingleThreadScheduledExecutor("broadhead kill watch")
    scheduler.scheduleWithFixedDelay(
      () => look(),
      IntervalMillis,
      IntervalMillis,
      TimeUnit.MILLISECONDS)
    ()
  }

  def add(files: TaskFiles, context: TaskContext): Unit = {
    start
    running.put(files, context)
  }

  def remove(files: TaskFiles): Unit = running.remove(files)

  private def look(): Unit = running.asScala.foreach { case (files, context) =>
    if (context.isInterrupted()) {
      try files.requestStop()
      catch { case NonFatal(error) => logWarning("Cannot stop the engine of a task", error) }
      remove(files)
    }
  }
}
