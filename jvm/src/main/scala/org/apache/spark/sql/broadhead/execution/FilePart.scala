package org.apache.spark.sql.broadhead.execution

import java.nio.ByteBuffer

import org.apache.arrow.memory.BufferAllocator

import org.apache.spark.sql.broadhead.arrow.Frame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** A part of a table file, in the order of the files and of their bytes. */
private[broadhead] sealed trait FilePart

private[broadhead] object FilePart {

  /** A file begins, with the values of the columns of `FileRow`. */
  case class Begin(values: InternalRow) extends FilePart

  case class Data(bytes: Array[Byte], offset: Int) extends FilePart

  case class End(rows: Long) extends FilePart

  /** The buffers of the statistics of the file's rows. */
  case class Statistics(buffers: InternalRow) extends FilePart
}

/**
 * Decodes the frames of table files.
 *
 * @param statistics the buffers of the statistics of a file
 */
private[broadhead] class FilePartDecoder(
    columns: StructType,
    statistics: StructType,
    allocator: BufferAllocator)
    extends TaskOutputDecoder[FilePart] {
  private val values = new BatchDecoder(columns, allocator)
  private val buffers = new BatchDecoder(statistics, allocator)

  override def tag: Byte = Frame.TableFile

  override def decode(frame: Array[Byte]): FilePart = Frame.source(frame) match {
    case Frame.FileBegin =>
      val batch = values.decode(Frame.body(frame))
      FilePart.Begin(if (columns.isEmpty) InternalRow.empty else batch.getRow(0).copy())
    case Frame.FileData => FilePart.Data(frame, Frame.HeaderLength)
    case Frame.FileEnd =>
      FilePart.End(ByteBuffer.wrap(frame, Frame.HeaderLength, java.lang.Long.BYTES).getLong)
    case Frame.FileStatistics =>
      FilePart.Statistics(buffers.decode(Frame.body(frame)).getRow(0).copy())
    case other => throw new IllegalStateException(s"a frame of a table file has no kind $other")
  }

  override def close(): Unit = {
    values.close()
    buffers.close()
  }
}
