package org.apache.spark.sql.broadhead.shuffle

import java.nio.{ByteBuffer, ByteOrder}

import com.github.luben.zstd.Zstd
import net.jpountz.lz4.{LZ4Exception, LZ4Factory}

/** Reads the buffers of a whole block in their order. */
private[broadhead] class BlockBuffers(block: Array[Byte]) {
  import BlockBuffers._
  import BlockFormat._

  private val bytes = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN)
  private val directoryEnd = HeaderBytes + bytes.getInt(BuffersAt).toLong * EntryBytes
  private var entry = HeaderBytes
  private var start = 0
  private var stored = 0
  private var end = directoryEnd
  private var codec = Uncompressed

  /** The width of the current buffer; its meaning and that of `number` depend on the column. */
  var width = 0

  var number = 0L

  /** Goes to the next buffer. */
  def next(): Unit = {
    if (entry + EntryBytes > directoryEnd || directoryEnd > block.length) {
      throw new DamagedBlockException("it ends before its last column")
    }
    codec = bytes.get(entry)
    width = bytes.get(entry + 1).toInt
    stored = bytes.getInt(entry + 4)
    number = bytes.getLong(entry + 8)
    entry += EntryBytes
    val from = (end + 7) / 8 * 8
    end = from + stored
    if (stored < 0 || end > block.length) {
      throw new DamagedBlockException(s"it holds a buffer of $stored bytes")
    }
    start = from.toInt
  }

  /** The bytes of the current buffer, whose size is `size` before compression. */
  def data(size: Int): ByteBuffer = {
    val content =
      if (codec == Uncompressed || size == 0) bytes.duplicate().limit(end.toInt).position(start)
      else ByteBuffer.wrap(decompressed(size))
    if (content.remaining != size) {
      throw new DamagedBlockException(s"a buffer has ${content.remaining} bytes, not $size")
    }
    content.slice().order(ByteOrder.LITTLE_ENDIAN)
  }

  private def decompressed(size: Int): Array[Byte] = {
    val target = new Array[Byte](size)
    val found = codec match {
      case Lz4 =>
        try lz4.decompress(block, start, stored, target, 0, size).toLong
        catch {
          case error: LZ4Exception =>
            throw new DamagedBlockException("it cannot be decompressed", error)
        }
      case Zstandard => Zstd.decompressByteArray(target, 0, size, block, start, stored)
      case other => throw new DamagedBlockException(s"it has the unknown codec $other")
    }
    if (found != size) throw new DamagedBlockException("it cannot be decompressed")
    target
  }

  /**
   * The values of the current buffer by row, if they are integers.
   *
   * @param own bytes of a value that is stored unchanged, signed; others are relative to `number`
   */
  def unpacked(rows: Int, own: Int): Int => Long = {
    val least = number
    if (width == 0) { _ => least }
    else {
      val values = data(Math.multiplyExact(rows, width))
      width match {
        case 4 if own == 4 => row => values.getInt(4 * row).toLong
        case 8 if own == 8 => row => values.getLong(8 * row)
        case 1 if own > 1 => row => least + (values.get(row) & 0xff)
        case 2 if own > 2 => row => least + (values.getShort(2 * row) & 0xffff)
        case 4 if own > 4 => row => least + Integer.toUnsignedLong(values.getInt(4 * row))
        case _ => throw new DamagedBlockException(s"it has values of $width bytes, not $own")
      }
    }
  }
}

private object BlockBuffers {
  private lazy val lz4 = LZ4Factory.fastestInstance().safeDecompressor()
}
