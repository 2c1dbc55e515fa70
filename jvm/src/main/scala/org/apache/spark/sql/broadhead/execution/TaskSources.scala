package org.apache.spark.sql.broadhead.execution

import org.apache.spark.sql.broadhead.broadcast.BroadcastContent
import org.apache.spark.sql.broadhead.replay.DamagedBlock
import org.apache.spark.TaskContext

/** The data of one source for a task. */
private[broadhead] sealed trait TaskSource {

  /** Bytes of the data on this host, as far as they are known. */
  def bytes: Long
}

/** Rows or batches from the JVM. */
private[broadhead] case class RowsOfTask(layout: RowSourceLayout, open: () => Iterator[Any])
    extends TaskSource {
  override def bytes: Long = 0L
}

/** A broadcast, whose rows the worker requests unless it has them. */
private[broadhead] case class BroadcastOfTask(content: BroadcastContent) extends TaskSource {
  override def bytes: Long = content.bytes
}

/** Shuffle blocks: the worker reads those on this host, the JVM fetches and sends the others. */
private[broadhead] trait ShuffleBlocksOfTask extends TaskSource {

  /** Id of the node that reads them. */
  def node: Int

  def segments: Seq[ShuffleSegment]

  override def bytes: Long = segments.map(_.length).sum

  /** Makes all segments ranges of files, which the device process may have kept in its memory. */
  def needFiles(): Unit

  def remote: Iterator[Array[Byte]]

  /** Counts rows in Spark's metrics of the task. */
  def rowsRead(count: Long): Unit

  /** Tells Spark that a block is lost, if it is one of these. */
  def throwFetchFailure(block: DamagedBlock, cause: Throwable): Unit
}

/** A range of a shuffle file on this host. */
private[broadhead] trait ShuffleSegment {
  def path: String

  def offset: Long

  def length: Long

  /** The first partition, and the one after the last, of a range that the device process keeps. */
  def kept: Option[(Int, Int)]
}

private[broadhead] object TaskSources {

  /** The sources of a task, by number. */
  def open(
      program: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      context: TaskContext): Seq[TaskSource] =
    program.sources.zipWithIndex.map { case (layout, number) =>
      layout.open(partition, number, inputs, context)
    }
}
