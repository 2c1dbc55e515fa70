package org.apache.spark.sql.broadhead.operators

import java.io.ByteArrayOutputStream

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.io.CompressionCodec
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.arrow.{ColumnBatches, Frame, RowBatches, TaskMemory, UnsafeRowSize}
import org.apache.spark.sql.broadhead.broadcast.{BroadcastChunk, KeptRange, MessageReader}
import org.apache.spark.sql.broadhead.fragment.{EncodingFallback, FragmentNode, FragmentOperator, FragmentRunner}
import org.apache.spark.sql.broadhead.results.CollectJob
import org.apache.spark.sql.broadhead.shuffle.{BlocksOfStage, BroadheadShuffleRead, KeptShuffle, ShuffleBlocks}
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, ColumnarToRowExec, RowToColumnarExec, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Collects broadcast rows as Arrow messages. */
private[broadhead] object BroadcastRows {

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
    case KeptRead(rows) => messages(rows, schema)
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
    val codec = Optional.when(SparkEnv.get.executorId != SparkContext.DRIVER_IDENTIFIER)(
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

  /** The map outputs that the plan reads, if the process on the GPU keeps all of them. */
  def kept(plan: SparkPlan): Seq[KeptRange] = plan match {
    case RowToColumnarExec(rows) => kept(rows)
    case read: BroadheadShuffleRead => KeptShuffle.ranges(read.blocks.exchange)
    case _ => Nil
  }

  /** A read of rows on the GPU, in few parts: the process there sends them without a file. */
  private object KeptRead {
    def unapply(plan: SparkPlan): Option[BroadheadProject] = plan match {
      case read: BroadheadShuffleRead =>
        Optional.when(kept(read).nonEmpty)(BroadheadProject(read.output, inParts(read)))
      case _ => None
    }

    private def inParts(read: BroadheadShuffleRead) = {
      val exchange = read.blocks.exchange
      val most = math.min(MostParts, exchange.numPartitions)
      val parts = (exchange.runtimeStatistics.sizeInBytes / PartBytes + 1).min(most).toInt
      val ends = (0 to parts).map(part => exchange.numPartitions * part / parts)
      val specs = ends.zip(ends.tail).map { case (start, end) =>
        CoalescedPartitionSpec(start, end)
      }
      read.copy(BlocksOfStage(ShuffleBlocks(exchange, specs), read.output), whole = false)
    }
  }

  private val PartBytes = 16L << 20

  /** As many tasks as compute on a GPU at the same time. */
  private val MostParts = 4

  private def compressed(message: Array[Byte], codec: CompressionCodec): Array[Byte] = {
    val target = new ByteArrayOutputStream(message.length / 2)
    val stream = codec.compressedOutputStream(target)
    stream.write(message)
    stream.close()
    if (target.size() < message.length) target.toByteArray else message
  }
}
