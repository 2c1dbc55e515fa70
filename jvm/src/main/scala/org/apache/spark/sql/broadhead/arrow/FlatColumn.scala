package org.apache.spark.sql.broadhead.arrow

import org.apache.arrow.vector._

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{Decimal, DecimalType}
import org.apache.spark.unsafe.Platform

/** A vector to which the values of one column of rows are written, one after the other. */
private[arrow] abstract class FlatColumn {

  /** Makes the vector hold this row, which follows those written. */
  def makeRoom(index: Int): Unit

  /** Writes the value of a row, which is not null, to an index for which there is room. */
  def write(row: InternalRow, ordinal: Int, index: Int): Unit

  /** Writes null to such an index. */
  def writeNull(index: Int): Unit

  def finish(count: Int): Unit

  def reset(): Unit
}

/** Values of one width. All are null until they are said to be valid. */
private[arrow] abstract class FixedWidthColumn(vector: BaseFixedWidthVector) extends FlatColumn {
  protected var values = 0L
  private var validity = 0L
  private var capacity = 0
  find()

  private def find(): Unit = {
    capacity = vector.getValueCapacity
    values = vector.getDataBufferAddress
    validity = vector.getValidityBufferAddress
  }

  override def makeRoom(index: Int): Unit =
    while (index >= capacity) {
      vector.reAlloc()
      find()
    }

  override def write(row: InternalRow, ordinal: Int, index: Int): Unit = {
    put(row, ordinal, index)
    FlatColumn.setBit(validity, index)
  }

  protected def put(row: InternalRow, ordinal: Int, index: Int): Unit

  override def writeNull(index: Int): Unit = ()

  override def finish(count: Int): Unit = vector.setValueCount(count)

  override def reset(): Unit = {
    vector.reset()
    find()
  }
}

private[arrow] class BooleanColumn(vector: BitVector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    if (row.getBoolean(ordinal)) FlatColumn.setBit(values, index)
}

private[arrow] class ByteColumn(vector: TinyIntVector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    Platform.putByte(null, values + index, row.getByte(ordinal))
}

private[arrow] class ShortColumn(vector: SmallIntVector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    Platform.putShort(null, values + 2L * index, row.getShort(ordinal))
}

private[arrow] class IntColumn(vector: BaseFixedWidthVector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    Platform.putInt(null, values + 4L * index, row.getInt(ordinal))
}

private[arrow] class LongColumn(vector: BaseFixedWidthVector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    Platform.putLong(null, values + 8L * index, row.getLong(ordinal))
}

private[arrow] class FloatColumn(vector: Float4Vector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    Platform.putFloat(null, values + 4L * index, row.getFloat(ordinal))
}

private[arrow] class DoubleColumn(vector: Float8Vector) extends FixedWidthColumn(vector) {
  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit =
    Platform.putDouble(null, values + 8L * index, row.getDouble(ordinal))
}

/** Decimals. In an `UnsafeRow` the digits of short ones are a long; the upper half repeats its sign. */
private[arrow] class DecimalColumn(decimal: DecimalType, vector: DecimalVector)
    extends FixedWidthColumn(vector) {
  private val isNarrow = decimal.precision <= Decimal.MAX_LONG_DIGITS

  override def write(row: InternalRow, ordinal: Int, index: Int): Unit = row match {
    case unsafe: UnsafeRow if isNarrow => super.write(unsafe, ordinal, index)
    case _ =>
      // Other rows may hold a decimal of another scale. One that does not fit becomes null.
      val value = row.getDecimal(ordinal, decimal.precision, decimal.scale)
      if (value.changePrecision(decimal.precision, decimal.scale))
        vector.set(index, value.toJavaBigDecimal)
  }

  protected override def put(row: InternalRow, ordinal: Int, index: Int): Unit = {
    val digits = row.getLong(ordinal)
    val address = values + 16L * index
    Platform.putLong(null, address, digits)
    Platform.putLong(null, address + 8L, digits >> 63)
  }
}

/** Values of any length. */
private[arrow] abstract class VariableWidthColumn(vector: BaseVariableWidthVector)
    extends FlatColumn {
  private var bytes = 0L
  private var offsets = 0L
  private var validity = 0L
  private var capacity = 0
  private var byteCapacity = 0L
  private var end = 0
  reset()

  private def find(): Unit = {
    capacity = vector.getValueCapacity
    byteCapacity = vector.getDataBuffer.capacity
    bytes = vector.getDataBufferAddress
    offsets = vector.getOffsetBufferAddress
    validity = vector.getValidityBufferAddress
  }

  override def makeRoom(index: Int): Unit =
    while (index >= capacity) {
      vector.reallocValidityAndOffsetBuffers()
      find()
    }

  /** Appends the bytes of a value at an index. */
  protected def append(base: AnyRef, offset: Long, length: Int, index: Int): Unit = {
    val wanted = end.toLong + length
    if (wanted > byteCapacity) {
      vector.reallocDataBuffer(wanted.max(2 * byteCapacity))
      find()
    }
    Platform.copyMemory(base, offset, null, bytes + end, length.toLong)
    end += length
    FlatColumn.setBit(validity, index)
    Platform.putInt(null, offsets + 4L * (index + 1), end)
  }

  override def writeNull(index: Int): Unit =
    Platform.putInt(null, offsets + 4L * (index + 1), end)

  override def finish(count: Int): Unit = {
    // Otherwise Arrow takes all values for missing, and writes their offsets.
    vector.setLastSet(count - 1)
    vector.setValueCount(count)
  }

  override def reset(): Unit = {
    vector.reset()
    end = 0
    find()
  }
}

private[arrow] class StringColumn(vector: VarCharVector) extends VariableWidthColumn(vector) {
  override def write(row: InternalRow, ordinal: Int, index: Int): Unit = {
    val text = row.getUTF8String(ordinal)
    append(text.getBaseObject, text.getBaseOffset, text.numBytes, index)
  }
}

private[arrow] class BinaryColumn(vector: VarBinaryVector) extends VariableWidthColumn(vector) {
  override def write(row: InternalRow, ordinal: Int, index: Int): Unit = {
    val value = row.getBinary(ordinal)
    append(value, Platform.BYTE_ARRAY_OFFSET.toLong, value.length, index)
  }
}

private[arrow] class NullColumn(vector: NullVector) extends FlatColumn {
  override def makeRoom(index: Int): Unit = ()

  override def write(row: InternalRow, ordinal: Int, index: Int): Unit = ()

  override def writeNull(index: Int): Unit = ()

  override def finish(count: Int): Unit = vector.setValueCount(count)

  override def reset(): Unit = vector.reset()
}

private object FlatColumn {
  def setBit(bits: Long, number: Int): Unit = {
    val address = bits + (number >> 3)
    val byte = Platform.getByte(null, address) | (1 << (number & 7))
    Platform.putByte(null, address, byte.toByte)
  }
}
