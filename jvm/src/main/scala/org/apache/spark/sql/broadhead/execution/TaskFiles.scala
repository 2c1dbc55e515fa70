package org.apache.spark.sql.broadhead.execution

import java.io.{File, IOException}
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, LinkOption, NoSuchFileException, Path}
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal
import scala.util.{Success, Try}

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.util.ThreadUtils

/** Private files of one task, in the executor's own local directories; gone when it ends. */
private[broadhead] class TaskFiles(context: TaskContext) extends Logging {
  import TaskFiles._

  /** One in each local directory. Tasks begin with different ones, so that all disks have work. */
  val spillDirectories: Seq[File] = {
    val name = s"broadhead-${context.taskAttemptId()}-${number.incrementAndGet()}"
    val tried = SparkEnv.get.blockManager.diskBlockManager.localDirs.toSeq.map { parent =>
      Try(Files.createDirectory(parent.toPath.resolve(name), OwnerOnly).toFile)
    }
    // A disk that is full or gone is left out, as long as there is another.
    val made = tried.collect { case Success(directory) => directory }
    if (made.isEmpty) tried.map(_.get) else startingAt(context.taskAttemptId(), made)
  }

  /** The engine stops at its next batch when this file exists. */
  val stop: Path = spillDirectories.head.toPath.resolve("stop")

  def requestStop(): Unit =
    try if (!Files.exists(stop)) Files.createFile(stop)
    catch { case _: NoSuchFileException => () }

  /** What cannot be deleted goes with the local directories when the application ends. */
  def delete(): Unit = spillDirectories.foreach { directory =>
    try deleteTree(directory.toPath)
    catch { case error: IOException => logWarning(s"Cannot delete $directory", error) }
  }
}

private object TaskFiles {
  private val OwnerOnly =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
  private val number = new AtomicLong()

  private def startingAt(place: Long, directories: Seq[File]): Seq[File] = {
    val (before, from) = directories.splitAt((place % directories.size).toInt)
    from ++ before
  }

  /** Spark's own way starts a process for it, which takes longer than a small task. */
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
 * Tells the engine when its task is killed.
 *
 * A kill that does not interrupt the thread leaves no trace but a flag, and the thread waits for
 * the worker; so one thread of the executor looks after the flags of all.
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
      catch { case NonFatal(error) => logWarning(s"Cannot write ${files.stop}", error) }
      remove(files)
    }
  }
}
