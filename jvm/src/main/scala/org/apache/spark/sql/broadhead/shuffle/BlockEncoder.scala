package org.apache.spark.sql.broadhead.shuffle

import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import net.jpountz.lz4.LZ4Factory
import org.apache.arrow.memory.ArrowBuf
import org.apache.arrow.vector.types.pojo.Field
import org.apache.arrow.vector.{BaseVariableWidthVector, FieldVector, VectorSchemaRoot}

import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame}
import org.apache.spark.sql.types.StructType

/** Encodes Arrow vectors as shuffle blocks; values have their full width. */
private[broadhead] class BlockEncoder(schema: StructType) {
  import BlockEncoder._
  import BlockFormat._

  private val layouts = schema.fields.map(field => ColumnLayout.of(field.dataType))
  private val fields = ArrowLayout.schema(schema).getFields.asScala.toIndexedSeq

  /** A block of all rows of the root, at least one. */
  def encode(root: VectorSchemaRoot): Array[Byte] = {
    val rows = root.getRowCount
    val buffers = layouts.indices.flatMap { ordinal =>
      buffersOf(root.getVector(ordinal), layouts(ordinal), fields(ordinal), rows).map(compressed)
    }
    val sizes = buffers.map(_.bytes.length).map(size => size.toLong + padding(size))
    val bodyBytes = Math.toIntExact(EntryBytes.toLong * buffers.length + sizes.sum)
    val block =
      ByteBuffer.allocate(Math.addExact(HeaderBytes, bodyBytes)).order(ByteOrder.LITTLE_ENDIAN)
    block.putInt(Magic).putInt(rows).putInt(bodyBytes).putInt(buffers.length).putLong(0)
    buffers.foreach { buffer =>
      block.put(buffer.codec).put(buffer.width.toByte).putShort(0.toShort)
      block.putInt(buffer.bytes.length).putLong(buffer.number)
    }
    buffers.foreach { buffer =>
      block.put(buffer.bytes)
      block.position(block.position() + padding(buffer.bytes.length))
    }
    block.putInt(ChecksumAt, checksum(block.array)).array
  }

  private def buffersOf(
      vector: FieldVector,
      layout: ColumnLayout,
      field: Field,
      rows: Int): Seq[Buffer] = layout match {
    case ColumnLayout.Nested =>
      val column = new VectorSchemaRoot(Seq(field).asJava, Seq(vector).asJava, rows)
      val message = Frame.message(column)
      Seq(Buffer(message, 1, message.length.toLong))
    case ColumnLayout.Bits => Seq(validity(vector, rows), booleans(vector, rows))
    case ColumnLayout.Text =>
      validity(vector, rows) +: text(vector.asInstanceOf[BaseVariableWidthVector], rows)
    case ColumnLayout.Integers(width) =>
      val values = bytes(vector.getDataBuffer, rows.toLong * width)
      Seq(validity(vector, rows), Buffer(values, width))
    case ColumnLayout.Decimals(wide) =>
      val all = bytes(vector.getDataBuffer, rows.toLong * WideBytes)
      val values = if (wide) Buffer(all, WideBytes) else Buffer(lowHalves(all), WideBytes / 2)
      Seq(validity(vector, rows), values)
  }

  private def validity(vector: FieldVector, rows: Int): Buffer = vector.getNullCount match {
    case 0 => allBits(1)
    case `rows` => allBits(0)
    case _ => Buffer(bytes(vector.getValidityBuffer, bitmapBytes(rows).toLong), 1)
  }

  private def booleans(vector: FieldVector, rows: Int): Buffer =
    if (vector.getNullCount == rows) allBits(0)
    else Buffer(bytes(vector.getDataBuffer, bitmapBytes(rows).toLong), 1)

  private def text(vector: BaseVariableWidthVector, rows: Int): Seq[Buffer] = {
    val offsets = vector.getOffsetBuffer
    val lengths = ByteBuffer.allocate(rows * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN)
    var row = 0
    while (row < rows) {
      lengths.putInt(offsets.getInt(4L * (row + 1)) - offsets.getInt(4L * row))
      row += 1
    }
    val size = offsets.getInt(4L * rows).toLong
    Seq(Buffer(lengths.array, Integer.BYTES), Buffer(bytes(vector.getDataBuffer, size), 1, size))
  }
}

private object BlockEncoder {
  import BlockFormat._

  /** Buffers of fewer bytes are not compressed. */
  private val LeastCompressed = 64

  /** A buffer is stored uncompressed if compression leaves a larger fraction of its bytes. */
  private val LargestShare = 0.9

  private lazy val compressor = LZ4Factory.fastestInstance().fastCompressor()

  private case class Buffer(
      bytes: Array[Byte],
      width: Int,
      number: Long = 0,
      codec: Byte = Uncompressed)

  /** Bits that are all equal. */
  private def allBits(bit: Long): Buffer = Buffer(Array.emptyByteArray, 0, bit)

  private def compressed(buffer: Buffer): Buffer =
    if (buffer.bytes.length < LeastCompressed) {
      buffer
    } else {
      val packed = compressor.compress(buffer.bytes)
      if (packed.length > buffer.bytes.length * LargestShare) buffer
      else buffer.copy(bytes = packed, codec = Lz4)
    }

  private def bytes(buffer: ArrowBuf, size: Long): Array[Byte] = {
    val copy = new Array[Byte](Math.toIntExact(size))
    if (size > 0) buffer.getBytes(0, copy)
    copy
  }

  /** The low halves of decimals, if all values fit in them. */
  private def lowHalves(decimals: Array[Byte]): Array[Byte] = {
    val half = WideBytes / 2
    val low = new Array[Byte](decimals.length / 2)
    Range(0, low.length, half).foreach { at =>
      System.arraycopy(decimals, 2 * at, low, at, half)
    }
    low
  }
}
