package org.apache.spark.sql.broadhead.broadcast

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.util.zip.CRC32

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.arrow.vector.ipc.ReadChannel
import org.apache.arrow.vector.{VectorLoader, VectorSchemaRoot}

import org.apache.spark.{SparkConf, SparkException}
import org.apache.spark.io.CompressionCodec
import org.apache.spark.sql.broadhead.arrow.{ArrayChannel, ArrowLayout}
import org.apache.spark.sql.types.StructType

/**
 * Rows sent to the driver.
 *
 * @param rowBytes size of the rows as Spark's `UnsafeRow`s, in bytes
 * @param messageBytes length of the Arrow record batch message
 * @param checksum CRC-32 of the original content
 * @param content the message; compressed like Spark's rows, if that is shorter
 */
private[broadhead] case class BroadcastChunk(
    rows: Long,
    rowBytes: Long,
    messageBytes: Int,
    checksum: Int,
    content: Array[Byte]) {

  /** Rows damaged in memory, on disk or in the network must not reach any operator. */
  def check(broadcast: Long): Unit =
    if (BroadcastChunk.checksumOf(content) != checksum) {
      throw new SparkException(
        s"broadcast $broadcast is damaged: the checksum of a batch of $rows rows is wrong")
    }

  def message(conf: SparkConf): Array[Byte] =
    if (content.length == messageBytes) {
      content
    } else {
      val stream = CompressionCodec
        .createCodec(conf)
        .compressedInputStream(new ByteArrayInputStream(content))
      try stream.readNBytes(messageBytes)
      finally stream.close()
    }

  /** The numbers, and the content. */
  def parts: Seq[Array[Byte]] = {
    val numbers = ByteBuffer.allocate(2 * java.lang.Long.BYTES + 2 * Integer.BYTES)
    numbers.putLong(rows).putLong(rowBytes).putInt(messageBytes).putInt(checksum)
    Seq(numbers.array(), content)
  }
}

private[broadhead] object BroadcastChunk {

  /** The chunk with such `parts`. */
  def ofParts(parts: Array[Array[Byte]]): BroadcastChunk = {
    val numbers = ByteBuffer.wrap(parts(0))
    BroadcastChunk(numbers.getLong, numbers.getLong, numbers.getInt, numbers.getInt, parts(1))
  }

  def checksumOf(content: Array[Byte]): Int = {
    val crc = new CRC32()
    crc.update(content)
    crc.getValue.toInt
  }
}

/** Reads Arrow messages; a batch is valid until the next one is read. */
private[broadhead] class MessageReader(schema: StructType, allocator: BufferAllocator)
    extends AutoCloseable {
  private val root = ArrowLayout.root(schema, allocator)
  private val loader = new VectorLoader(root)

  def read(message: Array[Byte]): VectorSchemaRoot = {
    val channel = new ReadChannel(new ArrayChannel(ByteBuffer.wrap(message)))
    val batch = MessageSerializer.deserializeRecordBatch(channel, allocator)
    try loader.load(batch)
    finally batch.close()
    root
  }

  override def close(): Unit = root.close()
}
