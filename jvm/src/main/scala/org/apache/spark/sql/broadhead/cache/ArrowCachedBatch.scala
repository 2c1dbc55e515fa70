package org.apache.spark.sql.broadhead.cache

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.{FieldVector, VectorLoader, VectorSchemaRoot}
import org.apache.arrow.vector.types.pojo.{Field, Schema}

import org.apache.spark.io.CompressionCodec
import org.apache.spark.SparkEnv
import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame}
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.columnar.SimpleMetricsCachedBatch
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Rows of a cached table, each column separately, so that only the columns read are decompressed.
 *
 * @param stats the statistics for Spark's partition pruning and size estimates
 */
private[broadhead] case class ArrowCachedBatch(
    numRows: Int,
    columns: Array[StoredColumn],
    stats: InternalRow)
    extends SimpleMetricsCachedBatch

/**
 * A column as an Arrow message, compressed if that makes it smaller.
 *
 * @param length bytes of the message before compression
 */
private[broadhead] case class StoredColumn(bytes: Array[Byte], length: Int) {
  def isCompressed: Boolean = bytes.length != length
}

/** Converts Arrow vectors to cached batches. */
private[broadhead] class CachedBatchWriter(schema: StructType, compress: Boolean) {
  private val fields = ArrowLayout.schema(schema).getFields.asScala.toIndexedSeq
  private lazy val codec = ColumnCompression.codec()

  def write(root: VectorSchemaRoot): ArrowCachedBatch = {
    val rows = root.getRowCount
    val columns = root.getFieldVectors.asScala.toArray.zip(fields).map { case (vector, field) =>
      store(vector, field, rows)
    }
    val stats = root.getFieldVectors.asScala.toList.zip(columns).zip(schema.fields).flatMap {
      case ((vector, column), field) =>
        ColumnStatistics.of(vector, rows, field.dataType, column.length.toLong)
    }
    ArrowCachedBatch(rows, columns, new GenericInternalRow(stats.toArray))
  }

  private def store(vector: FieldVector, field: Field, rows: Int): StoredColumn = {
    val message =
      Frame.message(new VectorSchemaRoot(Seq(field).asJava, Seq(vector).asJava, rows))
    if (compress) ColumnCompression.compress(message, codec)
    else StoredColumn(message, message.length)
  }
}

/**
 * Reads columns of cached batches. A batch is valid until the next one is read.
 *
 * @param ordinals the ordinals, in the cached table, of the columns to read
 */
private[broadhead] class CachedBatchReader(
    schema: StructType,
    ordinals: Seq[Int],
    allocator: BufferAllocator)
    extends AutoCloseable {

  private val allFields = ArrowLayout.schema(schema).getFields.asScala.toIndexedSeq
  private val fields = ordinals.map(allFields)
  private val roots = fields.map { field =>
    VectorSchemaRoot.create(new Schema(Seq(field).asJava), allocator)
  }
  private val loaders = roots.map(new VectorLoader(_))
  private lazy val codec = ColumnCompression.codec()

  def read(batch: ArrowCachedBatch): ColumnarBatch = {
    ordinals.zip(loaders).foreach { case (ordinal, loader) =>
      val message = ColumnCompression.decompress(batch.columns(ordinal), codec)
      val column = Frame.readMessage(message, allocator)
      try loader.load(column)
      finally column.close()
    }
    val vectors = roots.map(_.getVector(0))
    ArrowLayout.batch(new VectorSchemaRoot(fields.asJava, vectors.asJava, batch.numRows))
  }

  override def close(): Unit = roots.foreach(_.close())
}

private[broadhead] object ColumnCompression {

  /** Spark's own codec for cached data, chosen for speed. */
  def codec(): CompressionCodec = CompressionCodec.createCodec(SparkEnv.get.conf, "lz4")

  def compress(message: Array[Byte], codec: CompressionCodec): StoredColumn = {
    val target = new ByteArrayOutputStream(message.length / 2)
    val stream = codec.compressedOutputStream(target)
    try stream.write(message)
    finally stream.close()
    val bytes = if (target.size < message.length) target.toByteArray else message
    StoredColumn(bytes, message.length)
  }

  def decompress(column: StoredColumn, codec: => CompressionCodec): Array[Byte] =
    if (column.isCompressed) {
      val stream = codec.compressedInputStream(new ByteArrayInputStream(column.bytes))
      try stream.readNBytes(column.length)
      finally stream.close()
    } else {
      column.bytes
    }
}
