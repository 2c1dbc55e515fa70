package org.apache.spark.sql.broadhead.shuffle

import java.io.{Closeable, InputStream}
import java.nio.{ByteBuffer, ByteOrder}

/**
 * Whole shuffle blocks out of a stream, each with its header, once their checksums are right.
 *
 * @param length bytes that the stream holds
 */
private[broadhead] class WholeBlocks(input: InputStream, length: Long)
    extends Iterator[Array[Byte]]
    with Closeable {
  import BlockFormat._

  private var left = length

  override def hasNext: Boolean = left > 0

  /** The next block; throws DamagedBlockException where it is not one. */
  override def next(): Array[Byte] = {
    val header = new Array[Byte](HeaderBytes)
    read(header, 0)
    val fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN)
    if (fields.getInt(0) != Magic) {
      throw new DamagedBlockException("it does not start with the magic number of a block")
    }
    val bodyBytes = Integer.toUnsignedLong(fields.getInt(BodyBytesAt))
    if (bodyBytes > left || bodyBytes > Int.MaxValue - HeaderBytes) {
      throw new DamagedBlockException(s"its header gives a length of $bodyBytes bytes")
    }
    val expected = fields.getInt(ChecksumAt)
    fields.putInt(ChecksumAt, 0)
    val block = java.util.Arrays.copyOf(header, HeaderBytes + bodyBytes.toInt)
    read(block, HeaderBytes)
    if (checksum(block) != expected) throw new DamagedBlockException("its checksum is wrong")
    if (fields.getInt(RowsAt) <= 0) throw new DamagedBlockException("it has no rows")
    block
  }

  /** Fills an array from an offset. */
  private def read(target: Array[Byte], from: Int): Unit = {
    val wanted = target.length - from
    if (input.readNBytes(target, from, wanted) < wanted) {
      throw new DamagedBlockException("it is truncated")
    }
    left -= wanted
  }

  override def close(): Unit = input.close()
}
