package org.apache.spark.sql.broadhead.encoding

import java.util.Base64

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Catalyst's values in the wire format. */
private[broadhead] object LiteralValues {

  /** The value in JSON; None for a value without an encoding. */
  def encode(value: Any, dataType: DataType): Option[JsonNode] = (value, dataType) match {
    case (null, _) => Some(Json.Null)
    case (flag: Boolean, BooleanType) => Some(Json.bool(flag))
    case (number: Byte, ByteType) => Some(Json.number(number.toLong))
    case (number: Short, ShortType) => Some(Json.number(number.toLong))
    case (number: Int, IntegerType | DateType | _: YearMonthIntervalType) =>
      Some(Json.number(number.toLong))
    case (number: Long, LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType) =>
      Some(Json.number(number))
    case (number: Float, FloatType) => Some(Json.text(number.toDouble.toString))
    case (number: Double, DoubleType) => Some(Json.text(number.toString))
    case (number: Decimal, decimal: DecimalType) =>
      val unscaled = number.toJavaBigDecimal.setScale(decimal.scale).unscaledValue
      Some(Json.text(unscaled.toString))
    case (string: UTF8String, _: StringType) => encodeString(string)
    case (bytes: Array[Byte], BinaryType) =>
      Some(Json.text(Base64.getEncoder.encodeToString(bytes)))
    case (array: ArrayData, ArrayType(element, _)) =>
      encodeAll(array.toSeq[Any](element).map(_ -> element))
    case (row: InternalRow, struct: StructType) =>
      encodeAll(row.toSeq(struct).zip(struct.fields.map(_.dataType)))
    case _ => None
  }

  private def encodeAll(values: Seq[(Any, DataType)]): Option[JsonNode] = {
    val encoded = values.map { case (value, dataType) => encode(value, dataType) }
    Optional.when(encoded.forall(_.isDefined))(Json.array(encoded.flatten))
  }

  /** JSON allows only Unicode, and a cast from binary may have created an invalid string. */
  private def encodeString(string: UTF8String): Option[JsonNode] = {
    val decoded = string.toString
    if (UTF8String.fromString(decoded) == string) Some(Json.text(decoded)) else None
  }
}
