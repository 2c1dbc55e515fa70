package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class LiteralValuesSuite extends munit.FunSuite {

  private def encoded(value: Any, dataType: DataType): Option[String] =
    LiteralValues.encode(value, dataType).map(Json.write(_))

  test("null of any type") {
    Seq(IntegerType, StringType, DecimalType(38, 10), NullType).foreach { dataType =>
      assertEquals(encoded(null, dataType), Some("null"))
    }
  }

  test("integers, dates and timestamps are integers") {
    assertEquals(encoded(Long.MinValue, LongType), Some("-9223372036854775808"))
    assertEquals(encoded(-1.toByte, ByteType), Some("-1"))
    assertEquals(encoded(19000, DateType), Some("19000"))
    assertEquals(encoded(1L, TimestampType), Some("1"))
  }

  test("floats are texts, so that NaN, infinity and the sign of zero are kept") {
    assertEquals(encoded(Double.NaN, DoubleType), Some("\"NaN\""))
    assertEquals(encoded(Double.NegativeInfinity, DoubleType), Some("\"-Infinity\""))
    assertEquals(encoded(-0.0, DoubleType), Some("\"-0.0\""))
    assertEquals(encoded(1.5f, FloatType), Some("\"1.5\""))
  }

  test("a decimal is its unscaled integer") {
    val value = Decimal(BigDecimal("-12345678901234567890.10"), 38, 2)
    assertEquals(encoded(value, DecimalType(38, 2)), Some("\"-1234567890123456789010\""))
  }

  test("texts and bytes") {
    assertEquals(encoded(UTF8String.fromString("é\"\n"), StringType), Some("\"é\\\"\\n\""))
    assertEquals(encoded(Array[Byte](0, -1), BinaryType), Some("\"AP8=\""))
  }

  test("what JSON cannot hold is refused") {
    assertEquals(encoded(UTF8String.fromBytes(Array[Byte](-1)), StringType), None)
    assertEquals(encoded(new Object, ObjectType(classOf[Object])), None)
  }
}
