package org.apache.spark.sql.broadhead.broadcast

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.ByteBuffer
import java.util.zip.CRC32

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.arrow.vector.ipc.ReadChannel
import org.apache.arrow.vector.{VectorLoader, VectorSchemaRoot}

import org.apache.spark.io.CompressionCodec
import org.apache.spark.rdd.RDD
import org.apache.spark.{SparkConf, SparkContext, SparkEnv, SparkException}
import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, ColumnBatches, RowBatches}
import org.apache.spark.sql.broadhead.encoding.EncodingFallback
import org.apache.spark.sql.broadhead.execution.{ArrayChannel, FragmentRunner, Frame, TaskMemory}
import org.apache.spark.sql.broadhead.operators.{FragmentNode, FragmentOperator}
import org.apache.spark.sql.broadhead.results.CollectJob
import org.apache.spark.sql.broadhead.shuffle.UnsafeRowSize
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{ColumnarToRowExec, RowToColumnarExec, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

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

/** Collects broadcast rows as Arrow messages. */
private[broadhead] object BroadcastChunks {

  /**
   * All rows of a plan, in the order of its partitions.
   *
   * They are collected as pairs of byte arrays: Kryo serializes these even if it requires
   * registration of all classes.
   */
  def collect(plan: SparkPlan): Array[BroadcastChunk] = {
    val schema = DataTypeUtils.fromAttributes(plan.output)
    val parts = messages(plan, schema).mapPartitionsInternal(chunks(_, schema).flatMap(_.parts))
    CollectJob.run(parts).grouped(2).map(BroadcastChunk.ofParts).toArray
  }

  private def messages(plan: SparkPlan, schema: StructType): RDD[Array[Byte]] = plan match {
    case ColumnarToRowExec(node: FragmentNode) => messages(node, schema)
    case RowToColumnarExec(rows) => messages(rows, schema)
    case operator: FragmentOperator =>
      EncodingFallback.encoded(operator) match {
        case Some(fragment) => FragmentRunner.frames(fragment)
        case None =>
          EncodingFallback.execute(operator).mapPartitionsInternal(ofBatches(_, schema))
      }
    case columns if columns.supportsColumnar =>
      columns.executeColumnar().mapPartitionsInternal(ofBatches(_, schema))
    case rows => rows.execute().mapPartitionsInternal(ofRows(_, schema))
  }

  private def ofRows(rows: Iterator[InternalRow], schema: StructType): Iterator[Array[Byte]] =
    RowBatches
      .ofTask(rows, schema, RowBatches.SocketRows, "broadcast", RowBatches.KeptBytes)
      .map(Frame.message)

  private def ofBatches(
      batches: Iterator[ColumnarBatch],
      schema: StructType): Iterator[Array[Byte]] = {
    val columns = new ColumnBatches(schema, TaskMemory.allocator("broadcast"))
    batches.flatMap(columns.encoded(_)(Frame.message))
  }

  private def chunks(
      messages: Iterator[Array[Byte]],
      schema: StructType): Iterator[BroadcastChunk] = {
    val reader = new MessageReader(schema, TaskMemory.allocator("broadcast"))
    TaskMemory.closeAtEnd(reader)
    // compression of data that stay in the process would save nothing
    val codec = Option.when(SparkEnv.get.executorId != SparkContext.DRIVER_IDENTIFIER)(
      CompressionCodec.createCodec(SparkEnv.get.conf))
    messages.map { message =>
      val root = reader.read(message)
      val content = codec.fold(message)(compressed(message, _))
      BroadcastChunk(
        root.getRowCount.toLong,
        UnsafeRowSize.of(root, schema),
        message.length,
        BroadcastChunk.checksumOf(content),
        content)
    }
  }

  private def compressed(message: Array[Byte], codec: CompressionCodec): Array[Byte] = {
    val target = new ByteArrayOutputStream(message.length / 2)
    val stream = codec.compressedOutputStream(target)
    stream.write(message)
    stream.close()
    if (target.size() < message.length) target.toByteArray else message
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
