package org.apache.spark.sql.broadhead

import scala.util.control.NonFatal

import org.apache.arrow.memory.BufferAllocator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The frames for a worker: the task header, then each row source up to its end. */
private[broadhead] class WorkerInput(
    layouts: Seq[RowSourceLayout],
    sources: Seq[() => Iterator[Any]],
    header: String,
    allocator: BufferAllocator)
    extends Iterator[Array[Byte]]
    with AutoCloseable {

  @volatile private var ended = false
  @volatile private var thrown: Option[Throwable] = None
  private var rowBatches: Seq[RowBatches] = Nil

  private val frames: Iterator[Array[Byte]] = Iterator.single(Frame.task(header)) ++
    layouts.zip(sources).iterator.zipWithIndex.flatMap { case ((layout, open), source) =>
      framesOf(source, layout, new Watched(open)) ++ Iterator.single(Frame.sourceEnd(source))
    }

  /** What a row source threw. */
  def failure: Option[Throwable] = thrown

  /** Sends nothing more. */
  def end(): Unit = ended = true

  override def hasNext: Boolean = !ended && frames.hasNext

  override def next(): Array[Byte] = frames.next()

  /** Tells the errors of what is below the fragment from those of making frames of it. */
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
      values.asInstanceOf[Iterator[ColumnarBatch]].flatMap(columns.frames(source, _))
    } else {
      val rows = values.asInstanceOf[Iterator[InternalRow]]
      val batches = new RowBatches(rows, layout.schema, RowBatches.SocketRows, allocator)
      rowBatches = rowBatches :+ batches
      batches.map(Frame.arrow(source, _))
    }

  override def close(): Unit = rowBatches.foreach(_.close())
}
