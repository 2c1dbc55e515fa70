package org.apache.spark.sql.broadhead.arrow

import scala.jdk.CollectionConverters._

import org.apache.arrow.vector.{FieldVector, VectorSchemaRoot}

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.array.ByteArrayMethods.roundNumberOfBytesToNearestWord

/** The size of rows as Spark's own, by which Spark judges a broadcast. */
private[broadhead] object UnsafeRowSize {
  private val Word = 8L

  def of(root: VectorSchemaRoot, schema: StructType): Long =
    if (schema.exists(field => isNested(field.dataType))) {
      sizeOfRows(root, schema)
    } else {
      val fixed = UnsafeRow.calculateBitSetWidthInBytes(schema.length) + Word * schema.length
      val content = root.getFieldVectors.asScala.zip(schema).map { case (vector, field) =>
        contentBytes(vector, field.dataType, root.getRowCount)
      }
      fixed * root.getRowCount + content.sum
    }

  private def isNested(dataType: DataType): Boolean = dataType match {
    case _: ArrayType | _: MapType | _: StructType => true
    case _ => false
  }

  private def sizeOfRows(root: VectorSchemaRoot, schema: StructType): Long = {
    val toUnsafe = UnsafeProjection.create(schema)
    ArrowLayout.batch(root).rowIterator().asScala.map(toUnsafe(_).getSizeInBytes.toLong).sum
  }

  /** What the values take that do not fit into their words. */
  private def contentBytes(vector: FieldVector, dataType: DataType, rows: Int): Long =
    dataType match {
      // `UnsafeRowWriter` reserves the bytes of a null decimal.
      case decimal: DecimalType if decimal.precision > Decimal.MAX_LONG_DIGITS => 2 * Word * rows
      case _: StringType | BinaryType => textBytes(vector, rows)
      case _ => 0
    }

  /** A loop, since a fold would allocate an object for every number. */
  private def textBytes(vector: FieldVector, rows: Int): Long = {
    val offsets = vector.getOffsetBuffer
    var sum = 0L
    var index = 0
    while (index < rows) {
      if (!vector.isNull(index)) {
        val length = offsets.getInt(4L * (index + 1)) - offsets.getInt(4L * index)
        sum += roundNumberOfBytesToNearestWord(length)
      }
      index += 1
    }
    sum
  }
}
