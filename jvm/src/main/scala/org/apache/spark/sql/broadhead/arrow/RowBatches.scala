package org.apache.spark.sql.broadhead.arrow

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorSchemaRoot

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Rows converted to Arrow, batch after batch. A batch is valid until the next one is requested.
 *
 * @param maxRows maximal number of rows of a batch
 * @param maxBytes a batch that is larger ends
 */
private[broadhead] class RowBatches(
    rows: Iterator[InternalRow],
    schema: StructType,
    maxRows: Int,
    allocator: BufferAllocator,
    maxBytes: Long = RowBatches.MaxBytes)
    extends Iterator[VectorSchemaRoot]
    with AutoCloseable {

  private val root = ArrowLayout.root(schema, allocator)
  private val writer = RowWriter(root, schema)
  private val fixedRowSize = 8L * schema.length + 8L

  override def hasNext: Boolean = rows.hasNext

  override def next(): VectorSchemaRoot = {
    writer.reset()
    var count = 0
    var size = 0L
    while (count < maxRows && size < maxBytes && rows.hasNext) {
      val row = rows.next()
      size += sizeOf(row)
      writer.write(row)
      count += 1
    }
    writer.finish()
    root
  }

  private def sizeOf(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong
    case _ => fixedRowSize
  }

  override def close(): Unit = root.close()
}

private[broadhead] object RowBatches {

  /** Frames of this size move fastest through the socket. */
  val SocketRows = 65536
  val MaxBytes: Long = 8L << 20

  /** The same for batches that become arrays in the heap: larger ones start a collector's cycle. */
  val KeptBytes: Long = 384L << 10

  /** Batches for Spark's own operators, which fit into the CPU's cache. */
  val ReplayRows = 8192

  /** The rows in batches whose memory is released when the running task ends. */
  def ofTask(
      rows: Iterator[InternalRow],
      schema: StructType,
      maxRows: Int,
      purpose: String,
      maxBytes: Long = MaxBytes): RowBatches = {
    val batches = new RowBatches(rows, schema, maxRows, TaskMemory.allocator(purpose), maxBytes)
    TaskMemory.closeAtEnd(batches)
    batches
  }

  /** The rows of Spark's operators as columns: `RowToColumnarExec` does not support all types. */
  def columnar(plan: SparkPlan): RDD[ColumnarBatch] = {
    val schema = DataTypeUtils.fromAttributes(plan.output)
    plan.execute().mapPartitionsInternal { rows =>
      ofTask(rows, schema, ReplayRows, "rows").map(ArrowLayout.batch)
    }
  }
}
