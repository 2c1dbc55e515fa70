package org.apache.spark.sql.broadhead.shuffle

import java.io.IOException
import java.util.zip.CRC32

import org.apache.spark.sql.types._

/** The layout of shuffle blocks, as specified in docs/wire-format.md. */
private[broadhead] object BlockFormat {
  val Magic = 0x32534842

  val HeaderBytes = 24
  val RowsAt = 4
  val BodyBytesAt = 8
  val BuffersAt = 12
  val ChecksumAt = 16

  /** Bytes of a buffer's entry in the directory. */
  val EntryBytes = 16

  val Uncompressed: Byte = 0
  val Lz4: Byte = 1
  val Zstandard: Byte = 2

  /** Bytes of a decimal that does not fit in 8. */
  val WideBytes = 16

  def padding(size: Int): Int = -size & 7

  def bitmapBytes(rows: Int): Int = ((rows + 7L) / 8).toInt

  /** The checksum of a whole block whose header still has 0 as checksum. */
  def checksum(block: Array[Byte]): Int = {
    val sum = new CRC32
    sum.update(block)
    sum.getValue.toInt
  }
}

/** A shuffle block whose bytes differ from the written ones. */
private[broadhead] class DamagedBlockException(reason: String, cause: Throwable = null)
    extends IOException(reason, cause)

/** The buffers of a column in a block. */
private[broadhead] sealed trait ColumnLayout

private[broadhead] object ColumnLayout {

  /** Validity and values, both bits. */
  case object Bits extends ColumnLayout

  /** Validity, lengths and all bytes. */
  case object Text extends ColumnLayout

  /** One Arrow message. */
  case object Nested extends ColumnLayout

  /** Validity and values of so many bytes each. */
  case class Integers(width: Int) extends ColumnLayout

  /** Validity and unscaled values, of 16 bytes in Arrow. */
  case class Decimals(wide: Boolean) extends ColumnLayout

  def of(dataType: DataType): ColumnLayout = dataType match {
    case BooleanType | NullType => Bits
    case _: StringType | BinaryType => Text
    case _: ArrayType | _: MapType | _: StructType => Nested
    case decimal: DecimalType => Decimals(decimal.precision > Decimal.MAX_LONG_DIGITS)
    case ByteType => Integers(1)
    case ShortType => Integers(2)
    case IntegerType | FloatType | DateType | _: YearMonthIntervalType => Integers(4)
    case _ => Integers(8)
  }
}
