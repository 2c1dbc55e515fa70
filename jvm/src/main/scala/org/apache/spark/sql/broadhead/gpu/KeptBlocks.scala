package org.apache.spark.sql.broadhead.gpu

import java.io.{File, IOException}
import java.util.concurrent.ConcurrentHashMap

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

  /** Whether the process has the rows of this file. */
  def contain(path: String): Boolean = kept.containsKey(path)

  /** How often a process has ended with the rows that it kept. */
  def lossCount: Int = synchronized(losses)

  /** Adds an output of a task that began at this number of losses; a later one took its rows. */
  def add(path: String, index: File, lossesAtStart: Int): Unit = synchronized {
    if (losses == lossesAtStart) {
      kept.put(path, KeptBlock(index))
      ()
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
          kept.remove(path)
        }
      }
    }
}

/** @param index the file that Spark deletes with the shuffle */
private case class KeptBlock(index: File)
