package org.apache.spark.sql.broadhead.shuffle

import java.io.{ByteArrayInputStream, IOException}

import org.apache.arrow.vector.VectorSchemaRoot

import org.apache.spark.{Dependency, Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, TaskMemory}
import org.apache.spark.sql.broadhead.execution.ShuffleRange
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The rows of Broadhead's shuffles for Spark's own operators: the JVM decodes the blocks, since a
 * replay must not need a worker.
 *
 * @param metrics counters of rows and batches to add to, by name
 */
private[broadhead] class ShuffleBlocksRDD(
    context: SparkContext,
    dependency: Dependency[_],
    layout: ShuffleLayout,
    schema: StructType,
    metrics: Map[String, SQLMetric],
    @transient private val ranges: Seq[ShuffleRange])
    extends RDD[ColumnarBatch](context, Seq(dependency)) {

  override protected def getPartitions: Array[Partition] =
    ranges.zipWithIndex.map { case (range, index) => BlocksPartition(index, range) }.toArray

  override def compute(split: Partition, task: TaskContext): Iterator[ColumnarBatch] = {
    val range = split.asInstanceOf[BlocksPartition].range
    val fetched = new FetchedBlocks(layout, Seq(range), task)
    fetched.needFiles()
    val decoder = new BlockDecoder(schema, TaskMemory.allocator("shuffle read"))
    TaskMemory.closeAtEnd(decoder)
    val local = fetched.segments.iterator.flatMap(decoded(_, decoder))
    val remote = fetched.remote.flatMap { bytes =>
      new WholeBlocks(new ByteArrayInputStream(bytes), bytes.length.toLong).map(decoder.decode)
    }
    (local ++ remote).map { root =>
      fetched.rowsRead(root.getRowCount.toLong)
      metrics.get("rows").foreach(_.add(root.getRowCount.toLong))
      metrics.get("batches").foreach(_.add(1))
      ArrowLayout.batch(root)
    }
  }

  /** The rows in a file on this host; Spark repeats the map task of a missing or damaged one. */
  private def decoded(
      segment: FetchedBlocks.LocalSegment,
      decoder: BlockDecoder): Iterator[VectorSchemaRoot] = {
    def read[T](body: => T): T =
      try body
      catch { case error: IOException => throw segment.failure(error) }
    val blocks = read(new WholeBlocks(segment.open(), segment.length))
    TaskMemory.closeAtEnd(blocks)
    new Iterator[VectorSchemaRoot] {
      override def hasNext: Boolean = blocks.hasNext || { blocks.close(); false }
      override def next(): VectorSchemaRoot = read(decoder.decode(blocks.next()))
    }
  }
}

private case class BlocksPartition(index: Int, range: ShuffleRange) extends Partition
