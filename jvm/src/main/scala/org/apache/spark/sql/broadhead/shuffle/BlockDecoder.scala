package org.apache.spark.sql.broadhead.shuffle

import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.arrow.memory.{ArrowBuf, BufferAllocator}
import org.apache.arrow.vector.ipc.message.ArrowFieldNode
import org.apache.arrow.vector.types.pojo.Schema
import org.apache.arrow.vector.{FieldVector, NullVector, VectorLoader, VectorSchemaRoot}

import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame}
import org.apache.spark.sql.types.StructType

/** Decodes shuffle blocks to Arrow vectors. A root is valid until the next block is decoded. */
private[broadhead] class BlockDecoder(schema: StructType, allocator: BufferAllocator)
    extends AutoCloseable {
  import BlockFormat._

  private val layouts = schema.fields.toIndexedSeq.map(field => ColumnLayout.of(field.dataType))
  private val fields = ArrowLayout.schema(schema).getFields.asScala.toIndexedSeq
  private val roots = fields.map { field =>
    VectorSchemaRoot.create(new Schema(Seq(field).asJava), allocator)
  }
  private val vectors = roots.map(_.getVector(0))

  /** The rows of a whole block; throws DamagedBlockException if its bytes are inconsistent. */
  def decode(block: Array[Byte]): VectorSchemaRoot = {
    val rows = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).getInt(RowsAt)
    val buffers = new BlockBuffers(block)
    try layouts.indices.foreach(decodeColumn(_, buffers, rows))
    catch {
      case damage: DamagedBlockException => throw damage
      case NonFatal(error) => throw new DamagedBlockException("it cannot be decoded", error)
    }
    new VectorSchemaRoot(fields.asJava, vectors.asJava, rows)
  }

  private def decodeColumn(ordinal: Int, buffers: BlockBuffers, rows: Int): Unit =
    layouts(ordinal) match {
      case ColumnLayout.Nested => loadNested(roots(ordinal), buffers, rows)
      case layout =>
        val validity = new DecodedBits(buffers, rows)
        val contents = layout match {
          case ColumnLayout.Text => text(buffers, rows)
          case ColumnLayout.Integers(width) => Seq(integers(buffers, rows, width))
          case ColumnLayout.Decimals(_) => Seq(decimals(buffers, rows))
          case _ => Seq(copied(new DecodedBits(buffers, rows).bytes))
        }
        load(vectors(ordinal), validity, contents, rows)
    }

  /** Loads the vector with the buffers, which it then owns. */
  private def load(
      vector: FieldVector,
      validity: DecodedBits,
      contents: Seq[ArrowBuf],
      rows: Int): Unit = {
    val all = copied(validity.bytes) +: contents
    try
      vector match {
        case nulls: NullVector => nulls.setValueCount(rows)
        case _ =>
          vector.loadFieldBuffers(new ArrowFieldNode(rows.toLong, validity.zeros), all.asJava)
      }
    finally all.foreach(_.close())
  }

  private def loadNested(root: VectorSchemaRoot, buffers: BlockBuffers, rows: Int): Unit = {
    buffers.next()
    val message = new Array[Byte](Math.toIntExact(buffers.number))
    buffers.data(message.length).get(message)
    val column = Frame.readMessage(message, allocator)
    try new VectorLoader(root).load(column)
    finally column.close()
    if (root.getRowCount != rows) {
      throw new DamagedBlockException(
        s"a nested column has ${root.getRowCount} rows instead of $rows")
    }
  }

  private def integers(buffers: BlockBuffers, rows: Int, own: Int): ArrowBuf = {
    buffers.next()
    if (buffers.width == own) {
      copied(buffers.data(Math.multiplyExact(rows, own)))
    } else {
      val read = buffers.unpacked(rows, own)
      val values = allocator.buffer(rows.toLong * own)
      own match {
        case 2 => foreachRow(rows)(row => values.setShort(2L * row, read(row).toInt))
        case 4 => foreachRow(rows)(row => values.setInt(4L * row, read(row).toInt))
        case 8 => foreachRow(rows)(row => values.setLong(8L * row, read(row)))
        case _ => foreachRow(rows)(row => values.setByte(row.toLong, read(row).toInt))
      }
      values
    }
  }

  /** Arrow has 16 bytes for each decimal; blocks have 8 if these suffice for all values. */
  private def decimals(buffers: BlockBuffers, rows: Int): ArrowBuf = {
    buffers.next()
    if (buffers.width == WideBytes) {
      copied(buffers.data(Math.multiplyExact(rows, WideBytes)))
    } else {
      val read = buffers.unpacked(rows, own = WideBytes / 2)
      val values = allocator.buffer(rows.toLong * WideBytes)
      foreachRow(rows) { row =>
        val value = read(row)
        values.setLong(16L * row, value)
        values.setLong(16L * row + 8, value >> 63)
      }
      values
    }
  }

  /** Offsets, and bytes. */
  private def text(buffers: BlockBuffers, rows: Int): Seq[ArrowBuf] = {
    buffers.next()
    val length = buffers.unpacked(rows, own = Integer.BYTES)
    buffers.next()
    val content = buffers.data(Math.toIntExact(buffers.number))
    val offsets = ByteBuffer.allocate(4 * (rows + 1)).order(ByteOrder.LITTLE_ENDIAN).putInt(0)
    var end = 0L
    foreachRow(rows) { row =>
      val added = length(row)
      if (added < 0 || added > content.remaining - end) {
        throw new DamagedBlockException(s"a string has a length of $added bytes")
      }
      end += added
      offsets.putInt(end.toInt)
    }
    if (end != content.remaining) {
      throw new DamagedBlockException(
        s"its strings have $end bytes instead of ${content.remaining}")
    }
    Seq(copied(offsets.flip()), copied(content))
  }

  private def copied(bytes: ByteBuffer): ArrowBuf = {
    val copy = allocator.buffer(bytes.remaining.toLong)
    copy.setBytes(0L, bytes)
    copy
  }

  private def foreachRow(rows: Int)(use: Int => Unit): Unit = {
    var row = 0
    while (row < rows) {
      use(row)
      row += 1
    }
  }

  override def close(): Unit = roots.foreach(_.close())
}

/** The next buffer of a block, with a bit for each row. */
private class DecodedBits(buffers: BlockBuffers, rows: Int) {
  import BlockFormat.bitmapBytes

  buffers.next()
  private val bitmap =
    if (buffers.width > 0) buffers.data(bitmapBytes(rows))
    else ByteBuffer.wrap(Array.fill(bitmapBytes(rows))((-buffers.number).toByte))

  def bytes: ByteBuffer = bitmap.duplicate()

  /** Number of zero bits. */
  def zeros: Long =
    (0 until rows).count(row => (bitmap.get(row >> 3) >> (row & 7) & 1) == 0).toLong
}
