package org.apache.spark.sql.broadhead.cache

import org.apache.arrow.vector.{BaseFixedWidthVector, DecimalVector, FieldVector}

import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnVector}
import org.apache.spark.unsafe.Platform

/**
 * The statistics of a column of a cached batch for Spark's partition pruning: lower bound, upper
 * bound, number of nulls, number of rows, bytes; the same five, in the same order, as those of
 * Spark's columns.
 */
private[broadhead] object ColumnStatistics {

  def of(vector: FieldVector, rows: Int, dataType: DataType, bytes: Long): Seq[Any] = {
    val (lower, upper) = bounds(vector, rows, dataType).getOrElse((null, null))
    Seq(lower, upper, vector.getNullCount, rows, bytes)
  }

  /** Whether columns of a type have bounds if they have values. */
  def hasBounds(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        DateType | TimestampType | TimestampNTZType | StringType | _: DecimalType |
        _: YearMonthIntervalType | _: DayTimeIntervalType =>
      true
    case _ => false
  }

  private def bounds(vector: FieldVector, rows: Int, dataType: DataType): Option[(Any, Any)] = {
    val values = new ArrowColumnVector(vector)
    (dataType, vector) match {
      case (BooleanType, _) => extremes(vector, rows, values.getBoolean(_))(_ && !_)
      case (ByteType, v: BaseFixedWidthVector) =>
        longs(v, rows, 1, Platform.getByte(null, _).toLong).map(both(_)(_.toByte))
      case (ShortType, v: BaseFixedWidthVector) =>
        longs(v, rows, 2, Platform.getShort(null, _).toLong).map(both(_)(_.toShort))
      case (IntegerType | DateType | _: YearMonthIntervalType, v: BaseFixedWidthVector) =>
        longs(v, rows, 4, Platform.getInt(null, _).toLong).map(both(_)(_.toInt))
      case (
            LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType,
            v: BaseFixedWidthVector) =>
        longs(v, rows, 8, Platform.getLong(null, _))
      // NaN is the greatest number, as in Spark.
      case (FloatType, _) =>
        extremes(vector, rows, values.getFloat(_))(java.lang.Float.compare(_, _) > 0)
      case (DoubleType, _) =>
        extremes(vector, rows, values.getDouble(_))(java.lang.Double.compare(_, _) > 0)
      case (decimal: DecimalType, v: DecimalVector) => decimals(v, values, rows, decimal)
      case (StringType, _) =>
        extremes(vector, rows, values.getUTF8String(_))(CompiledSpark.compareBytes(_, _) > 0)
          .map(both(_)(_.clone()))
      case _ => None
    }
  }

  private def both[A, B](bounds: (A, A))(convert: A => B): (B, B) =
    (convert(bounds._1), convert(bounds._2))

  /** Decimals of up to 18 digits are in the lower half of their 16 bytes. */
  private def decimals(
      vector: DecimalVector,
      values: ColumnVector,
      rows: Int,
      decimal: DecimalType): Option[(Decimal, Decimal)] = {
    val (precision, scale) = (decimal.precision, decimal.scale)
    if (precision <= Decimal.MAX_LONG_DIGITS) {
      longs(vector, rows, DecimalVector.TYPE_WIDTH.toInt, Platform.getLong(null, _))
        .map(both(_)(Decimal(_, precision, scale)))
    } else {
      extremes(vector, rows, values.getDecimal(_, precision, scale))(_ > _)
    }
  }

  private def longs(
      vector: BaseFixedWidthVector,
      rows: Int,
      width: Int,
      read: Long => Long): Option[(Long, Long)] = {
    val address = vector.getDataBufferAddress
    val mayBeNull = vector.getNullCount > 0
    var lower = Long.MaxValue
    var upper = Long.MinValue
    var row = 0
    while (row < rows) {
      if (!mayBeNull || !vector.isNull(row)) {
        val value = read(address + row.toLong * width)
        if (value < lower) lower = value
        if (value > upper) upper = value
      }
      row += 1
    }
    if (vector.getNullCount < rows) Some((lower, upper)) else None
  }

  private def extremes[T](vector: FieldVector, rows: Int, read: Int => T)(
      isGreater: (T, T) => Boolean): Option[(T, T)] = {
    val valid = Iterator.range(0, rows).filterNot(vector.isNull(_)).map(read)
    valid.foldLeft(Option.empty[(T, T)]) {
      case (None, value) => Some((value, value))
      case (Some((lower, upper)), value) if isGreater(value, upper) => Some((lower, value))
      case (Some((lower, upper)), value) if isGreater(lower, value) => Some((value, upper))
      case (bounds, _) => bounds
    }
  }
}
