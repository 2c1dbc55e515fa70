package org.apache.spark.sql.broadhead.gpu

import java.io.{File, IOException}
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.shuffle.IndexShuffleBlockResolver
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/**
 * Map outputs whose rows the device process keeps, by the path that their file would have.
 *
 * Spark knows their sizes by an index file, so everything but reading them is as ever. Their file
 * is written when somebody else reads them.
 */
private[broadhead] object KeptBlocks {
  private val kept = new ConcurrentHashMap[String, KeptBlock]()
  private var losses = 0

  /** Whether the process has kept much, by its last answer. */
  @volatile private var short = false

  /** Whether the rows of this file are only in the process. */
  def contain(path: String): Boolean = Option(kept.get(path)).exists(!_.isWritten)

  /** How often a process has ended with the rows that it kept. */
  def lossCount: Int = synchronized(losses)

  /**
   * Adds an output of a task.
   *
   * @param lossesAtStart the number of losses when the task began; a later one took its rows
   * @param isShort whether the process has kept much
   */
  def add(
      path: String,
      index: File,
      lossesAtStart: Int,
      isShort: Boolean,
      context: TaskContext): Unit = synchronized {
    short = isShort
    if (losses == lossesAtStart) {
      kept.put(path, new KeptBlock(index, queryOf(context)))
      ()
    }
  }

  /** A task reads the rows of a file: they belong to its query now. */
  def use(path: String, context: TaskContext): Unit =
    Option(kept.get(path)).foreach { block =>
      block.query = queryOf(context)
      block.isEnded = false
    }

  /** No task of a query runs any more. Its rows could only be for a later run of the same plan. */
  def endQuery(id: String): Unit =
    kept.values.forEach(block => if (block.query.contains(id)) block.isEnded = true)

  private def queryOf(context: TaskContext): Option[String] =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))

  /**
   * The outputs that the process shall forget, each named once: those whose shuffle Spark has
   * removed and, where it has kept much, those of queries that have ended. Should one be read
   * again, then Spark runs its map task again.
   */
  def takeDropped(): Seq[String] =
    kept.asScala
      .collect {
        case (path, block) if !block.index.exists() || (short && block.isEnded) => path
      }
      .toList
      .filter(path => kept.remove(path) != null)

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

/**
 * @param index the file that Spark deletes with the shuffle
 * @param query the number of the query that has read or written it last
 */
private class KeptBlock(val index: File, @volatile var query: Option[String]) {
  @volatile var isEnded = false

  /** Whether the file exists, which other tasks read from then on. */
  @volatile var isWritten = false
}

/** Tells which queries have ended. */
private class KeptBlocksOfQueries extends SparkListener {

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd => KeptBlocks.endQuery(end.executionId.toString)
    case _ =>
  }
}
