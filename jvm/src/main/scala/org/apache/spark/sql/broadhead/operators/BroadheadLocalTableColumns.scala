package org.apache.spark.sql.broadhead.operators

import org.apache.arrow.vector.VectorLoader

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame, RowBatches, TaskMemory}
import org.apache.spark.sql.broadhead.fragment.BroadheadOperator
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{ColumnarToRowExec, LeafExecNode, LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The rows of a large `LocalTableScanExec`, such as a frame of pandas, as columns: each task gets
 * its slice as Arrow messages. Spark sends the rows one by one.
 */
case class BroadheadLocalTableColumns(planned: LocalTableScanExec)
    extends LeafExecNode
    with BroadheadOperator {

  override def output: Seq[Attribute] = planned.output

  /** The fragment reads its rows. */
  override def isInFragment: Boolean = false

  override def supportsColumnar: Boolean = true

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val schema = DataTypeUtils.fromAttributes(output)
    sparkContext
      .parallelize(slices(schema), sliceCount)
      .mapPartitionsInternal(slices => LocalTableColumns.batches(slices.flatten, schema))
  }

  protected override def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  /** As many as Spark makes. */
  private def sliceCount: Int =
    math.max(1, math.min(planned.rows.length, session.leafNodeDefaultParallelism))

  private def slices(schema: StructType): Seq[Seq[Array[Byte]]] = {
    val rows = planned.rows.toIndexedSeq
    def bound(slice: Int): Int = (slice.toLong * rows.length / sliceCount).toInt
    (0 until sliceCount).map { slice =>
      LocalTableColumns.messages(rows.slice(bound(slice), bound(slice + 1)).iterator, schema)
    }
  }

  protected override def doCanonicalize(): SparkPlan =
    BroadheadLocalTableColumns(planned.canonicalized.asInstanceOf[LocalTableScanExec])

  override def simpleString(maxFields: Int): String =
    nodeName + planned.simpleString(maxFields).stripPrefix("LocalTableScan")
}

private object LocalTableColumns {

  def messages(rows: Iterator[InternalRow], schema: StructType): Seq[Array[Byte]] = {
    val allocator = ArrowLayout.newAllocator("local table")
    val batches = new RowBatches(rows, schema, RowBatches.SocketRows, allocator)
    try batches.map(Frame.message).toList
    finally {
      batches.close()
      ArrowLayout.close(allocator)
    }
  }

  /** The batches of messages, in a task. A batch is valid until the next one is read. */
  def batches(messages: Iterator[Array[Byte]], schema: StructType): Iterator[ColumnarBatch] = {
    val allocator = TaskMemory.allocator("local table")
    val root = ArrowLayout.root(schema, allocator)
    TaskMemory.closeAtEnd(root)
    val loader = new VectorLoader(root)
    messages.map { bytes =>
      val message = Frame.readMessage(bytes, allocator)
      try loader.load(message)
      finally message.close()
      ArrowLayout.batch(root)
    }
  }
}
