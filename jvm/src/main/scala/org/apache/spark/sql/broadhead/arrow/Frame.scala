package org.apache.spark.sql.broadhead.arrow

import java.nio.ByteBuffer
import java.nio.channels.{ReadableByteChannel, WritableByteChannel}
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.message.{ArrowRecordBatch, IpcOption, MessageSerializer}
import org.apache.arrow.vector.ipc.{ReadChannel, WriteChannel}
import org.apache.arrow.vector.{VectorSchemaRoot, VectorUnloader}

/**
 * A message between a task and its worker: a header of 16 bytes and a body. From the worker, an
 * Arrow message is a frame by itself, so that it can be passed on without a copy.
 */
private[broadhead] object Frame {
  val Task: Byte = 'T'
  val Arrow: Byte = 'A'
  val Blocks: Byte = 'B'
  val SourceEnd: Byte = 'Z'
  val Shuffle: Byte = 'S'
  val TableFile: Byte = 'W'
  val Metrics: Byte = 'M'
  val Error: Byte = 'E'

  /** The field `source` of a frame of a table file. */
  val FileBegin: Byte = 0
  val FileData: Byte = 1
  val FileEnd: Byte = 2
  val FileStatistics: Byte = 3

  val HeaderLength = 16

  /** The first four bytes of an Arrow message; no tag has this value. */
  private val Continuation: Byte = -1

  /** Length and continuation marker before the metadata of an Arrow message. */
  private val ArrowPrefixLength = 8

  def tag(frame: Array[Byte]): Byte = if (frame(0) == Continuation) Arrow else frame(0)

  def source(frame: Array[Byte]): Byte = frame(1)

  def body(frame: Array[Byte]): Array[Byte] =
    java.util.Arrays.copyOfRange(frame, HeaderLength, frame.length)

  def text(frame: Array[Byte]): String =
    new String(frame, HeaderLength, frame.length - HeaderLength, UTF_8)

  def task(header: String): Array[Byte] = filled(Task, 0, header.getBytes(UTF_8))

  def blocks(source: Int, content: Array[Byte]): Array[Byte] = filled(Blocks, source, content)

  def sourceEnd(source: Int): Array[Byte] = empty(SourceEnd, source, 0)

  /** The rows of the root as an Arrow message in a frame of a source. */
  def arrow(source: Int, root: VectorSchemaRoot): Array[Byte] =
    serialized(root, HeaderLength) { length => empty(Arrow, source, length) }

  /** The rows of the root as an Arrow message without a header. */
  def message(root: VectorSchemaRoot): Array[Byte] =
    serialized(root, 0) { length => new Array[Byte](Math.toIntExact(length)) }

  def readMessage(message: Array[Byte], allocator: BufferAllocator): ArrowRecordBatch = {
    val channel = new ReadChannel(new ArrayChannel(ByteBuffer.wrap(message)))
    MessageSerializer.deserializeRecordBatch(channel, allocator)
  }

  private def serialized(root: VectorSchemaRoot, offset: Int)(
      allocate: Long => Array[Byte]): Array[Byte] = {
    val batch = new VectorUnloader(root).getRecordBatch
    try {
      val bytes = allocate(messageLength(batch))
      val body = ByteBuffer.wrap(bytes, offset, bytes.length - offset)
      MessageSerializer.serialize(new WriteChannel(new ArrayChannel(body)), batch)
      bytes
    } finally batch.close()
  }

  private def filled(tag: Byte, source: Int, body: Array[Byte]): Array[Byte] = {
    val frame = empty(tag, source, body.length)
    System.arraycopy(body, 0, frame, HeaderLength, body.length)
    frame
  }

  private def empty(tag: Byte, source: Int, bodyLength: Long): Array[Byte] = {
    val frame = new Array[Byte](Math.toIntExact(HeaderLength + bodyLength))
    frame(0) = tag
    frame(1) = source.toByte
    frame
  }

  private def messageLength(batch: ArrowRecordBatch): Long = {
    val metadata = MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT).remaining()
    (ArrowPrefixLength + metadata + 7) / 8 * 8 + batch.computeBodyLength()
  }
}

/** An array as a channel: the JDK's own channels over arrays copy in small chunks. */
private[broadhead] class ArrayChannel(bytes: ByteBuffer)
    extends ReadableByteChannel
    with WritableByteChannel {

  override def read(target: ByteBuffer): Int =
    if (bytes.hasRemaining) {
      val length = Math.min(bytes.remaining(), target.remaining())
      target.put(bytes.array(), bytes.position(), length)
      bytes.position(bytes.position() + length)
      length
    } else {
      -1
    }

  override def write(source: ByteBuffer): Int = {
    val length = source.remaining()
    bytes.put(source)
    length
  }

  override def isOpen: Boolean = true

  override def close(): Unit = ()
}
