package org.apache.spark.sql.broadhead.shuffle

import scala.jdk.CollectionConverters._

import org.apache.arrow.vector.complex.ListVector
import org.apache.arrow.vector.{FieldVector, VectorSchemaRoot}

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.array.ByteArrayMethods.roundNumberOfBytesToNearestWord

/** The size of rows as Spark's own, by which Spark judges a broadcast. */
private[broadhead] object UnsafeRowSize {
  private val Word = 8L

  /** Bytes of the value at an index. */
  private type Bytes = Int => Long

  def of(root: VectorSchemaRoot, schema: StructType): Long = {
    val bytes = rowBytes(root.getFieldVectors.asScala.toSeq, schema)
    sumOf(bytes, 0, root.getRowCount)
  }

  /** A loop, since a fold would allocate an object for every number. */
  private def sumOf(bytes: Bytes, start: Int, end: Int): Long = {
    var sum = 0L
    var index = start
    while (index < end) {
      sum += bytes(index)
      index += 1
    }
    sum
  }

  private def rowBytes(fields: Seq[FieldVector], schema: StructType): Bytes = {
    val fixed = UnsafeRow.calculateBitSetWidthInBytes(schema.length) + Word * schema.length
    val variable: Array[Bytes] = fields.toArray.zip(schema.fields).flatMap {
      // `UnsafeRowWriter` keeps the place of a decimal that is null.
      case (_, field) if isWide(field.dataType) => Some((_: Int) => 2 * Word)
      case (vector, field) => contentBytes(vector, field.dataType)
    }
    index => {
      var sum = fixed
      var column = 0
      while (column < variable.length) {
        sum += variable(column)(index)
        column += 1
      }
      sum
    }
  }

  /** What a value takes that does not fit into its word, if there is any such of the type. */
  private def contentBytes(vector: FieldVector, dataType: DataType): Option[Bytes] = {
    val bytes: Option[Bytes] = dataType match {
      case _: StringType | BinaryType =>
        val offsets = vector.getOffsetBuffer
        Some(index => padded(offsets.getInt(4L * (index + 1)) - offsets.getInt(4L * index)))
      case ArrayType(element, _) =>
        val list = vector.asInstanceOf[ListVector]
        Some(arrayBytes(list, list.getDataVector.asInstanceOf[FieldVector], element))
      case MapType(key, value, _) =>
        val list = vector.asInstanceOf[ListVector]
        val entries = list.getDataVector.asInstanceOf[FieldVector].getChildrenFromFields
        val ofKeys = arrayBytes(list, entries.get(0), key)
        val ofValues = arrayBytes(list, entries.get(1), value)
        Some(index => Word + ofKeys(index) + ofValues(index))
      case struct: StructType =>
        Some(rowBytes(vector.getChildrenFromFields.asScala.toSeq, struct))
      case _ => None
    }
    bytes.map(ofValue => index => if (vector.isNull(index)) 0L else ofValue(index))
  }

  private def arrayBytes(list: ListVector, elements: FieldVector, dataType: DataType): Bytes = {
    val size = elementSize(dataType)
    val content =
      if (isWide(dataType)) Some(decimalBytes(elements)) else contentBytes(elements, dataType)
    index => {
      val (start, end) = (list.getElementStartIndex(index), list.getElementEndIndex(index))
      val fixed = UnsafeArrayData.calculateHeaderPortionInBytes(end - start) +
        padded(size * (end - start))
      content.fold(fixed)(bytes => fixed + sumOf(bytes, start, end))
    }
  }

  /** Other than `UnsafeRowWriter`, `UnsafeArrayWriter` takes as many words as a decimal needs. */
  private def decimalBytes(vector: FieldVector): Bytes = {
    val values = vector.getDataBuffer
    index => {
      val (low, high) =
        (values.getLong(2 * Word * index), values.getLong(2 * Word * index + Word))
      if (vector.isNull(index)) 0L else if (high == low >> 63) Word else 2 * Word
    }
  }

  private def isWide(dataType: DataType): Boolean = dataType match {
    case decimal: DecimalType => decimal.precision > Decimal.MAX_LONG_DIGITS
    case _ => false
  }

  private def elementSize(dataType: DataType): Long = dataType match {
    case BooleanType | ByteType => 1
    case ShortType => 2
    case IntegerType | FloatType | DateType | _: YearMonthIntervalType => 4
    case _ => Word
  }

  private def padded(bytes: Long): Long = roundNumberOfBytesToNearestWord(bytes)
}
