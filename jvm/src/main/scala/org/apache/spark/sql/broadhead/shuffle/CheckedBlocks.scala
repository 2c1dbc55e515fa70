package org.apache.spark.sql.broadhead.shuffle

import java.io.{FilterInputStream, InputStream, IOException}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32

import org.apache.spark.serializer.SerializerManager
import org.apache.spark.SparkConf
import org.apache.spark.storage.BlockId

/** Passes on the shuffle blocks of another executor after verifying their checksums. */
private[broadhead] class CheckedBlockManager(conf: SparkConf)
    extends SerializerManager(new BlockSerializer, conf, None) {

  /** Spark treats an I/O error of this stream as a damaged block, whose map task it repeats. */
  override def wrapStream(blockId: BlockId, stream: InputStream): InputStream =
    new CheckedBlocks(blockId, stream)
}

/** Whole blocks of the engine, one after the other, read completely to verify them. */
private class CheckedBlocks(blockId: BlockId, stream: InputStream)
    extends FilterInputStream(stream) {
  import BlockFormat._

  private val header = ByteBuffer.allocate(HeaderBytes).order(ByteOrder.LITTLE_ENDIAN)
  private val checksum = new CRC32
  private var expected = 0
  private var bodyBytes = 0L

  override def markSupported(): Boolean = false

  override def skip(count: Long): Long =
    throw new UnsupportedOperationException(s"$blockId can only be read as a stream")

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val count = super.read(bytes, offset, length)
    if (count >= 0) check(ByteBuffer.wrap(bytes, offset, count))
    else if (header.position() > 0) throw damaged("it is truncated")
    count
  }

  private def check(bytes: ByteBuffer): Unit = while (bytes.hasRemaining) {
    if (header.hasRemaining) takeHeader(bytes) else takeBody(bytes)
    if (!header.hasRemaining && bodyBytes == 0) endBlock()
  }

  private def takeHeader(bytes: ByteBuffer): Unit = {
    val part = bytes.slice().limit(math.min(bytes.remaining, header.remaining))
    bytes.position(bytes.position() + part.limit())
    header.put(part)
    if (!header.hasRemaining) {
      if (header.getInt(0) != Magic)
        throw damaged("it does not start with the magic number of a block")
      bodyBytes = Integer.toUnsignedLong(header.getInt(BodyBytesAt))
      expected = header.getInt(ChecksumAt)
      header.putInt(ChecksumAt, 0)
      checksum.update(header.array)
    }
  }

  private def takeBody(bytes: ByteBuffer): Unit = {
    val part = bytes.slice().limit(math.min(bytes.remaining.toLong, bodyBytes).toInt)
    bytes.position(bytes.position() + part.limit())
    bodyBytes -= part.limit()
    checksum.update(part)
  }

  private def endBlock(): Unit = {
    if (checksum.getValue.toInt != expected) throw damaged("its checksum is wrong")
    checksum.reset()
    header.clear()
    ()
  }

  private def damaged(reason: String) = new IOException(s"$blockId is damaged: $reason")
}
