package org.apache.spark.sql.broadhead.arrow

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.arrow.vector.VectorSchemaRoot

import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.arrow.ArrowWriter
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class RowBatchesSuite extends munit.FunSuite {

  private val flat = Seq[DataType](
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DateType,
    TimestampType,
    TimestampNTZType,
    YearMonthIntervalType(),
    DayTimeIntervalType(),
    DecimalType(7, 2),
    DecimalType(18, 18),
    DecimalType(38, 6),
    StringType,
    BinaryType,
    NullType)

  private def schema(types: Seq[DataType]): StructType =
    StructType(types.zipWithIndex.map { case (kind, n) => StructField(s"c$n", kind) })

  private def value(kind: DataType, random: Random): Any = kind match {
    case BooleanType => random.nextBoolean()
    case ByteType => random.nextInt().toByte
    case ShortType => random.nextInt().toShort
    case IntegerType | DateType | _: YearMonthIntervalType => random.nextInt()
    case FloatType =>
      Seq(Float.NaN, -0.0f, Float.MinValue, random.nextFloat())(random.nextInt(4))
    case DoubleType => Seq(Double.NaN, -0.0, 1e308, random.nextDouble())(random.nextInt(4))
    case decimal: DecimalType =>
      val digits = BigInt(random.nextInt(decimal.precision * 3) + 1, random)
      Decimal(BigDecimal(digits % BigInt(10).pow(decimal.precision), decimal.scale)) match {
        case unsigned if random.nextBoolean() => unsigned
        case unsigned => -unsigned
      }
    case StringType => UTF8String.fromString("ä€😀" * random.nextInt(6))
    case BinaryType => Array.fill(random.nextInt(300))(random.nextInt().toByte)
    case NullType => null
    case _ => random.nextLong()
  }

  private def rows(types: Seq[DataType], count: Int, nulls: Double): Seq[InternalRow] = {
    val random = new Random(count)
    Seq.fill(count)(InternalRow.fromSeq(types.map { kind =>
      if (random.nextDouble() < nulls) null else value(kind, random)
    }))
  }

  private def contents(root: VectorSchemaRoot): Seq[Seq[String]] =
    root.getFieldVectors.asScala.toSeq.map { vector =>
      assertEquals(vector.getValueCount, root.getRowCount)
      Seq.tabulate(root.getRowCount)(place => text(vector.getObject(place)))
    }

  private def text(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString(",")
    case other => String.valueOf(other)
  }

  private def bySpark(rows: Seq[InternalRow], types: StructType): Seq[Seq[String]] = {
    val allocator = ArrowLayout.newAllocator("test")
    val root = ArrowLayout.root(types, allocator)
    val writer = ArrowWriter.create(root)
    rows.foreach(writer.write)
    writer.finish()
    try contents(root)
    finally { root.close(); allocator.close() }
  }

  private def check(types: Seq[DataType], count: Int, nulls: Double, most: Int): Unit = {
    val made = rows(types, count, nulls)
    val project = UnsafeProjection.create(types.toArray)
    val kinds = Seq(made, made.map(project(_).copy()))
    kinds.foreach { rows =>
      val allocator = ArrowLayout.newAllocator("test")
      val batches = new RowBatches(rows.iterator, schema(types), most, allocator)
      val groups = rows.grouped(most)
      try
        batches.foreach { root =>
          assertEquals(contents(root), bySpark(groups.next(), schema(types)))
        }
      finally { batches.close(); allocator.close() }
      assert(!groups.hasNext)
    }
  }

  test("rows of flat types are written as by Spark, in batches of any size") {
    for (nulls <- Seq(0.0, 0.3, 1.0); most <- Seq(1, 7, 20000)) check(flat, 50, nulls, most)
  }

  test("vectors grow, and are used again for fewer rows") {
    check(flat, 9001, 0.1, 5000)
  }

  test("decimals of another scale are changed, or null if they do not fit") {
    val types = schema(Seq(DecimalType(7, 2), DecimalType(38, 6)))
    def made = Seq("1.5", "-12.345", "99999.995", "123456").map { text =>
      InternalRow(Decimal(BigDecimal(text)), Decimal(BigDecimal(text)))
    }
    val allocator = ArrowLayout.newAllocator("test")
    val batches = new RowBatches(made.iterator, types, 10, allocator)
    try assertEquals(contents(batches.next()), bySpark(made, types))
    finally { batches.close(); allocator.close() }
  }

  test("rows with fields inside are written by Spark's writer") {
    check(Seq(LongType), 5, 0.5, 2)
    val nested = schema(Seq(LongType, ArrayType(LongType)))
    val allocator = ArrowLayout.newAllocator("test")
    val root = ArrowLayout.root(nested, allocator)
    try assertEquals(FlatRowWriter.of(root, nested), None)
    finally { root.close(); allocator.close() }
  }
}
