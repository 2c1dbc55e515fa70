package org.apache.spark.sql.broadhead.execution

import scala.util.control.NonFatal

import org.apache.arrow.memory.BufferAllocator

import org.apache.spark.sql.broadhead.arrow.{ColumnBatches, Frame, RowBatches}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The frames for a worker: the task header, then the data of each source up to its end. */
private[broadhead] class WorkerInput(
    sources: Seq[TaskSource],
    header: String,
    allocator: BufferAllocator)
    extends Iterator[Array[Byte]]
    with AutoCloseable {

  @volatile private var ended = false
  @volatile private var thrown: Option[Throwable] = None
  private var rowBatches: Seq[RowBatches] = Nil

  private val frames: Iterator[Array[Byte]] = Iterator.single(Frame.task(header)) ++
    sources.iterator.zipWithIndex.flatMap {
      case (rows: RowsOfTask, number) =>
        framesOf(number, rows.layout, new Watched(rows.open)) ++
          Iterator.single(Frame.sourceEnd(number))
      case (blocks: ShuffleBlocksOfTask, number) =>
        new Watched(() => blocks.remote).map(block =>
          Frame.blocks(number, block.asInstanceOf[Array[Byte]])) ++
          Iterator.single(Frame.sourceEnd(number))
      case (_: BroadcastOfTask, _) => Iterator.empty
    }

  /** The exception of a row source. */
  def failure: Option[Throwable] = thrown

  /** Sends nothing more. */
  def end(): Unit = ended = true

  override def hasNext: Boolean = !ended && frames.hasNext

  override def next(): Array[Byte] = frames.next()

  /** Distinguishes the errors of plans below the fragment from those of encoding frames. */
  private class Watched(open: () => Iterator[Any]) extends Iterator[Any] {
    private lazy val values = open()

    override def hasNext: Boolean = watch(values.hasNext)

    override def next(): Any = watch(values.next())

    private def watch[T](read: => T): T =
      try read
      catch {
        case NonFatal(error) =>
          thrown = Some(error)
          throw error
      }
  }

  private def framesOf(
      source: Int,
      layout: RowSourceLayout,
      values: Iterator[Any]): Iterator[Array[Byte]] =
    if (layout.columnar) {
      val columns = new ColumnBatches(layout.schema, allocator)
      values
        .asInstanceOf[Iterator[ColumnarBatch]]
        .flatMap(columns.encoded(_)(Frame.arrow(source, _)))
    } else {
      val rows = values.asInstanceOf[Iterator[InternalRow]]
      val batches = new RowBatches(rows, layout.schema, RowBatches.SocketRows, allocator)
      rowBatches = rowBatches :+ batches
      batches.map(Frame.arrow(source, _))
    }

  override def close(): Unit = rowBatches.foreach(_.close())
}
