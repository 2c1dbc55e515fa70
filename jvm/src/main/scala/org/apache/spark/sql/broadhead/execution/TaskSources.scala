package org.apache.spark.sql.broadhead.execution

import org.apache.spark.sql.broadhead.broadcast.{BroadcastContent, BroadcastServer}
import org.apache.spark.sql.broadhead.replay.DamagedBlock
import org.apache.spark.sql.broadhead.shuffle.FetchedBlocks
import org.apache.spark.TaskContext

/** The data of one source for a task. */
private[broadhead] sealed trait TaskSource

/** Rows or batches from the JVM. */
private[broadhead] case class RowsOfTask(layout: RowSourceLayout, open: () => Iterator[Any])
    extends TaskSource

/** A broadcast, whose rows the worker requests unless it has them. */
private[broadhead] case class BroadcastOfTask(content: BroadcastContent) extends TaskSource

/** Shuffle blocks: the worker reads those on this host, the JVM fetches and sends the others. */
private[broadhead] trait ShuffleBlocksOfTask extends TaskSource {

  /** Id of the node that reads them. */
  def node: Int

  def segments: Seq[ShuffleSegment]

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
    program.sources.zipWithIndex.map {
      case (layout: RowSourceLayout, number) => RowsOfTask(layout, inputs.rows(number))
      case (layout: ShuffleLayout, number) =>
        new FetchedBlocks(layout, partition.blocks.getOrElse(number, Nil), context)
      case (layout: BroadcastLayout, _) =>
        BroadcastServer.offer(layout.content, context)
        BroadcastOfTask(layout.content)
    }
}
