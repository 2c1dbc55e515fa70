package org.apache.spark.sql.broadhead.gpu

import java.io.{File, IOException}
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

import org.apache.spark.shuffle.IndexShuffleBlockResolver

/**
 * Map outputs whose rows the device process keeps, by the path that their file would have.
 *
 * Spark knows their sizes by an index file, so everything but reading them is as ever. Their file
 * is written when somebody else reads them.
 */
private[broadhead] object KeptBlocks {
  private val kept = new ConcurrentHashMap[String, KeptBlock]()
  private var losses = 0

  private val CollectNanos = TimeUnit.SECONDS.toNanos(5)
  private val collected = new AtomicLong(System.nanoTime() - CollectNanos)

  /** Whether the rows of this file are only in the process. */
  def contain(path: String): Boolean = Option(kept.get(path)).exists(!_.isWritten)

  /** How often a process has ended with the rows that it kept. */
  def lossCount: Int = synchronized(losses)

  /** Adds an output of a task that began at this number of losses; a later one took its rows. */
  def add(path: String, index: File, lossesAtStart: Int): Unit = synchronized {
    if (losses == lossesAtStart) {
      kept.put(path, new KeptBlock(index))
      ()
    }
  }

  /**
   * Memory is short: Spark removes the shuffles of plans that nothing refers to any more, but only
   * finds them when the JVM collects its garbage.
   */
  def removeUnused(): Unit = {
    val now = System.nanoTime()
    val last = collected.get
    if (now - last > CollectNanos && collected.compareAndSet(last, now)) {
      val thread = new Thread(() => System.gc(), "broadhead garbage collection")
      thread.setDaemon(true)
      thread.start()
    }
  }

  /** The outputs whose shuffle Spark has removed, each named once. */
  def takeRemoved(): Seq[String] =
    kept.asScala.collect { case (path, block) if !block.index.exists() => path }.toSeq.filter {
      path =>
        kept.remove(path) != null
    }

  /** The process has ended, and its rows are lost: Spark runs the map tasks again. */
  def lose(): Unit = synchronized {
    losses += 1
    kept.clear()
  }

  /** Writes the file of an output, unless it has been written. */
  def writeFile(
      path: String,
      shuffleId: Int,
      mapId: Long,
      resolver: IndexShuffleBlockResolver): Unit =
    Option(kept.get(path)).foreach { block =>
      block.synchronized {
        if (contain(path)) {
          val process = DeviceProcess.get.getOrElse(
            throw new IOException(s"the process that keeps the rows of $path has ended"))
          val file = resolver.createTempFile(new File(path))
          val lengths = process.writeFile(path, file.getPath)
          block.index.delete()
          resolver.writeMetadataFileAndCommit(
            shuffleId,
            mapId,
            lengths,
            Array.emptyLongArray,
            file)
          block.isWritten = true
        }
      }
    }
}

/** @param index the file that Spark deletes with the shuffle */
private class KeptBlock(val index: File) {

  /** Whether the file exists, which other tasks read from then on. */
  @volatile var isWritten = false
}
