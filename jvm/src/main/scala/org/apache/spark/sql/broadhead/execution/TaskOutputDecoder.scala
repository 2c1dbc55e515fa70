package org.apache.spark.sql.broadhead.execution

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorLoader

import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame}
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Decodes the output of a task from its frames. */
private[broadhead] trait TaskOutputDecoder[T] extends AutoCloseable {

  /** Tag of the frames with output. */
  def tag: Byte

  def decode(frame: Array[Byte]): T

  override def close(): Unit = ()
}

/** Batches; each is valid until the next one is decoded. */
private[broadhead] class BatchDecoder(schema: StructType, allocator: BufferAllocator)
    extends TaskOutputDecoder[ColumnarBatch] {
  private val root = ArrowLayout.root(schema, allocator)
  private val loader = new VectorLoader(root)

  override def tag: Byte = Frame.Arrow

  override def decode(frame: Array[Byte]): ColumnarBatch = {
    val batch = Frame.readMessage(frame, allocator)
    try loader.load(batch)
    finally batch.close()
    ArrowLayout.batch(root)
  }

  override def close(): Unit = root.close()
}

/** Undecoded Arrow messages. */
private[broadhead] object MessageDecoder extends TaskOutputDecoder[Array[Byte]] {
  override def tag: Byte = Frame.Arrow

  override def decode(frame: Array[Byte]): Array[Byte] = frame
}

/**
 * The shuffle file that a task has written.
 *
 * @param lengths bytes of each partition in the file
 * @param kept whether the device process keeps the rows, and there is no file
 * @param dataSize size of the rows as Spark's `UnsafeRow`s, in bytes
 */
private[broadhead] case class ShuffleOutput(
    lengths: Array[Long],
    rows: Long,
    dataSize: Long,
    kept: Boolean = false,
    keptShort: Boolean = false)

private[broadhead] object ShuffleDecoder extends TaskOutputDecoder[ShuffleOutput] {
  override def tag: Byte = Frame.Shuffle

  override def decode(frame: Array[Byte]): ShuffleOutput = {
    val node = Json.parse(Frame.text(frame))
    ShuffleOutput(
      node.path("lengths").elements().asScala.map(_.asLong).toArray,
      node.path("rows").asLong,
      node.path("dataSize").asLong,
      node.path("kept").asBoolean,
      node.path("keptShort").asBoolean)
  }
}
