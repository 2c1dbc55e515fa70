package org.apache.spark.sql.broadhead.cache

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}

import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.SparkConf

class StoredRowsSerializerSuite extends munit.FunSuite {
  private val spark = new JavaSerializer(new SparkConf(false))
  private val serializer = new StoredRowsSerializer(spark)
  private val project = UnsafeProjection.create(Array[DataType](LongType, StringType))

  private def row(number: Long, text: String): UnsafeRow =
    project(InternalRow(number, UTF8String.fromString(text))).copy()

  private val rows = Seq(row(1, "a"), row(-2, null), row(3, "longer than a word"))

  private def written(values: Seq[Any]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    serializer.newInstance().serializeStream(bytes).writeAll(values.iterator).close()
    bytes.toByteArray
  }

  private def read(bytes: Array[Byte]): Seq[Any] =
    serializer.newInstance().deserializeStream(new ByteArrayInputStream(bytes)).asIterator.toSeq

  test("rows are what they were, also of no fields, and with other values between them") {
    val none = UnsafeRow.createFromByteArray(0, 0)
    none.pointTo(Array.emptyByteArray, 0)
    Seq[Seq[Any]](rows, rows :+ none, rows ++ Seq("text", null) ++ rows).foreach { values =>
      assertEquals(read(written(values)), values)
    }
  }

  test("rows have the size of their bytes") {
    assertEquals(written(rows).length, 4 + rows.map(_.getSizeInBytes + 8).sum)
  }

  test("streams without rows, or with one later, are Spark's own") {
    Seq[Seq[Any]](Nil, Seq("text", 1, null), "text" +: rows).foreach { values =>
      val bytes = written(values)
      val stream = spark.newInstance().deserializeStream(new ByteArrayInputStream(bytes))
      assertEquals(stream.asIterator.toSeq, values)
      assertEquals(read(bytes), values)
    }
  }

  test("a truncated block is an error and not its end") {
    val bytes = written(rows)
    Seq(1, 30, rows.last.getSizeInBytes + 3).foreach { missing =>
      intercept[IOException](read(bytes.dropRight(missing)))
    }
  }
}
