package org.apache.spark.sql.broadhead.arrow

import java.util.Collections

import org.apache.arrow.vector.{BaseFixedWidthVector, BitVector, BitVectorHelper, DecimalVector, FieldVector, VarBinaryVector, VarCharVector, VectorSchemaRoot}

import org.apache.spark.sql.execution.arrow.ArrowWriter
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.Platform

/** Copies one column of Spark into an Arrow vector, by type. */
private[broadhead] object ColumnCopy {

  def copy(column: ColumnVector, rows: Int, dataType: DataType, target: FieldVector): Unit =
    (dataType, target) match {
      case (BooleanType, bits: BitVector) => copyBooleans(column, rows, bits)
      case (decimal: DecimalType, vector: DecimalVector) =>
        copyDecimals(column, rows, decimal, vector)
      case (_: StringType, strings: VarCharVector) => copyStrings(column, rows, strings)
      case (BinaryType, binaries: VarBinaryVector) => copyBinaries(column, rows, binaries)
      case (_, fixed: BaseFixedWidthVector) if fixedWidth.isDefinedAt(dataType) =>
        copyFixedWidth(column, rows, fixedWidth(dataType), fixed)
      case _ => copyByRow(column, rows, target)
    }

  /** Writes the value of a row to memory, without boxing it. */
  private trait Put {
    def apply(column: ColumnVector, row: Int, address: Long): Unit
  }

  /** Values of so many bytes, read as an array at once, or put one by one. */
  private case class Width(bytes: Int, arrayOffset: Int, all: (ColumnVector, Int) => AnyRef)(
      val put: Put)

  private val fixedWidth: PartialFunction[DataType, Width] = {
    case ByteType =>
      Width(1, Platform.BYTE_ARRAY_OFFSET, _.getBytes(0, _))((column, row, address) =>
        Platform.putByte(null, address, column.getByte(row)))
    case ShortType =>
      Width(2, Platform.SHORT_ARRAY_OFFSET, _.getShorts(0, _))((column, row, address) =>
        Platform.putShort(null, address, column.getShort(row)))
    case IntegerType | DateType | _: YearMonthIntervalType =>
      Width(4, Platform.INT_ARRAY_OFFSET, _.getInts(0, _))((column, row, address) =>
        Platform.putInt(null, address, column.getInt(row)))
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType =>
      Width(8, Platform.LONG_ARRAY_OFFSET, _.getLongs(0, _))((column, row, address) =>
        Platform.putLong(null, address, column.getLong(row)))
    case FloatType =>
      Width(4, Platform.FLOAT_ARRAY_OFFSET, _.getFloats(0, _))((column, row, address) =>
        Platform.putFloat(null, address, column.getFloat(row)))
    case DoubleType =>
      Width(8, Platform.DOUBLE_ARRAY_OFFSET, _.getDoubles(0, _))((column, row, address) =>
        Platform.putDouble(null, address, column.getDouble(row)))
  }

  private def copyFixedWidth(
      column: ColumnVector,
      rows: Int,
      width: Width,
      target: BaseFixedWidthVector): Unit = {
    target.allocateNew(rows)
    val address = target.getDataBufferAddress
    // Only Spark's own vectors are known to have arrays for columns with nulls; these may be
    // unallocated if every value is null.
    val own = column.isInstanceOf[WritableColumnVector] && column.numNulls < rows
    if (own || !column.hasNull) {
      val values = width.all(column, rows)
      val offset = width.arrayOffset.toLong
      Platform.copyMemory(values, offset, null, address, rows.toLong * width.bytes)
    } else {
      forEachValid(column, rows) { row =>
        width.put(column, row, address + row.toLong * width.bytes)
      }
    }
    copyValidity(column, rows, target)
  }

  private def copyBooleans(column: ColumnVector, rows: Int, target: BitVector): Unit = {
    target.allocateNew(rows)
    forEachValid(column, rows)(row => target.set(row, if (column.getBoolean(row)) 1 else 0))
    target.setValueCount(rows)
  }

  private def copyDecimals(
      column: ColumnVector,
      rows: Int,
      decimal: DecimalType,
      target: DecimalVector): Unit = {
    target.allocateNew(rows)
    val narrow = decimal.precision <= Decimal.MAX_LONG_DIGITS
    forEachValid(column, rows) { row =>
      val value = column.getDecimal(row, decimal.precision, decimal.scale)
      if (narrow) target.set(row, value.toUnscaledLong)
      else target.set(row, value.toJavaBigDecimal)
    }
    target.setValueCount(rows)
  }

  private def copyStrings(column: ColumnVector, rows: Int, target: VarCharVector): Unit = {
    target.allocateNew(rows)
    forEachValid(column, rows) { row =>
      val bytes = column.getUTF8String(row).getByteBuffer
      target.setSafe(row, bytes, bytes.position(), bytes.remaining())
    }
    target.setValueCount(rows)
  }

  private def copyBinaries(column: ColumnVector, rows: Int, target: VarBinaryVector): Unit = {
    target.allocateNew(rows)
    forEachValid(column, rows)(row => target.setSafe(row, column.getBinary(row)))
    target.setValueCount(rows)
  }

  private def copyValidity(
      column: ColumnVector,
      rows: Int,
      target: BaseFixedWidthVector): Unit = {
    val validity = target.getValidityBuffer
    if (column.hasNull) {
      forEachValid(column, rows)(row => BitVectorHelper.setBit(validity, row.toLong))
    } else {
      Platform.setMemory(validity.memoryAddress(), 0xff.toByte, (rows + 7L) / 8)
    }
    target.setValueCount(rows)
  }

  private def forEachValid(column: ColumnVector, rows: Int)(use: Int => Unit): Unit = {
    val mayBeNull = column.hasNull
    var row = 0
    while (row < rows) {
      if (!mayBeNull || !column.isNullAt(row)) use(row)
      row += 1
    }
  }

  /** Nested and rare types, with Spark's writer for rows. */
  private def copyByRow(column: ColumnVector, rows: Int, target: FieldVector): Unit = {
    val root = new VectorSchemaRoot(Collections.singletonList(target))
    val writer = ArrowWriter.create(root)
    val values = new ColumnarBatch(Array(column), rows).rowIterator()
    values.forEachRemaining(row => writer.write(row))
    writer.finish()
  }
}
