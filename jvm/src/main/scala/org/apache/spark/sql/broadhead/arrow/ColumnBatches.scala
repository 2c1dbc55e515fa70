package org.apache.spark.sql.broadhead.arrow

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.{FieldVector, VectorSchemaRoot}

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnarBatch, ColumnVector}

/**
 * Conversion of columnar batches to Arrow bytes: Arrow vectors are sent unchanged, others are
 * copied column by column.
 */
private[broadhead] class ColumnBatches(schema: StructType, allocator: BufferAllocator) {
  private val fields = ArrowLayout.schema(schema).getFields.asScala.toIndexedSeq

  /** The bytes of one batch from `encode`: in several batches if it is large. */
  def encoded(batch: ColumnarBatch)(
      encode: VectorSchemaRoot => Array[Byte]): Iterator[Array[Byte]] =
    withRoot(batch)(split(_, encode)).iterator

  /** Passes the batch as Arrow; the root is valid until `use` returns. */
  def withRoot[T](batch: ColumnarBatch)(use: VectorSchemaRoot => T): T = {
    val rows = batch.numRows()
    val copies = Seq.newBuilder[FieldVector]
    try {
      val vectors = schema.fields.indices.map { ordinal =>
        val column = batch.column(ordinal)
        borrow(column, ordinal, rows).getOrElse {
          val vector = fields(ordinal).createVector(allocator)
          copies += vector
          ColumnCopy.copy(column, rows, schema(ordinal).dataType, vector)
          vector
        }
      }
      use(new VectorSchemaRoot(fields.asJava, vectors.asJava, rows))
    } finally copies.result().foreach(_.close())
  }

  private def borrow(column: ColumnVector, ordinal: Int, rows: Int): Option[FieldVector] =
    column match {
      case arrow: ArrowColumnVector =>
        arrow.getValueVector match {
          case vector: FieldVector
              if vector.getValueCount == rows &&
                ArrowLayout.sameLayout(vector.getField, fields(ordinal)) =>
            Some(vector)
          case _ => None
        }
      case _ => None
    }

  private def split(
      root: VectorSchemaRoot,
      encode: VectorSchemaRoot => Array[Byte]): Seq[Array[Byte]] = {
    val rows = root.getRowCount
    val size = root.getFieldVectors.asScala.map(_.getBufferSize.toLong).sum
    if (size <= ColumnBatches.MaxBytes || rows <= 1) {
      Seq(encode(root))
    } else {
      Seq((0, rows / 2), (rows / 2, rows - rows / 2)).flatMap { case (start, length) =>
        val part = root.slice(start, length)
        try split(part, encode)
        finally if (part ne root) part.close()
      }
    }
  }
}

private[broadhead] object ColumnBatches {

  /** Larger frames are slower through the socket, and much larger ones do not fit. */
  private val MaxBytes = 32L << 20
}
