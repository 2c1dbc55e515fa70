package org.apache.spark.sql.broadhead.execution

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorLoader

import org.apache.spark.sql.broadhead.arrow.ArrowLayout
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes answers out of frames with results. */
private[broadhead] trait AnswerDecoder[T] extends AutoCloseable {

  /** Tag of the frames that hold results. */
  def tag: Byte

  def decode(frame: Array[Byte]): T

  override def close(): Unit = ()
}

/** Batches; each is valid until the next one is decoded. */
private[broadhead] class BatchDecoder(schema: StructType, allocator: BufferAllocator)
    extends AnswerDecoder[ColumnarBatch] {
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

/** Arrow messages as they came. */
private[broadhead] object MessageDecoder extends AnswerDecoder[Array[Byte]] {
  override def tag: Byte = Frame.Arrow

  override def decode(frame: Array[Byte]): Array[Byte] = frame
}

/**
 * What a task has written of a shuffle.
 *
 * @param lengths bytes of each partition in the file
 * @param dataSize bytes that the rows would take as Spark's
 */
private[broadhead] case class ShuffleAnswer(lengths: Array[Long], rows: Long, dataSize: Long)

private[broadhead] object ShuffleDecoder extends AnswerDecoder[ShuffleAnswer] {
  override def tag: Byte = Frame.Shuffle

  override def decode(frame: Array[Byte]): ShuffleAnswer = {
    val node = Json.parse(Frame.text(frame))
    ShuffleAnswer(
      node.path("lengths").elements().asScala.map(_.asLong).toArray,
      node.path("rows").asLong,
      node.path("dataSize").asLong)
  }
}
