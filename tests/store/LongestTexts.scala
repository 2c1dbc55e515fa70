package io.broadhead.store

import org.apache.spark.sql.{Encoder, Encoders}
import org.apache.spark.sql.expressions.{Aggregator, MutableAggregationBuffer, UserDefinedAggregateFunction, UserDefinedFunction}
import org.apache.spark.sql.functions.udaf
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** The texts of a group so far: how many, and the longest, of which the first. */
case class Longest(count: Long, text: String)

/** A user's aggregate of the JVM: the longest text of a group with the number of texts before it. */
object LongestTexts extends Aggregator[String, Longest, String] {
  override def zero: Longest = Longest(0, "")

  override def reduce(known: Longest, text: String): Longest =
    if (text == null) known
    else if (text.startsWith("!")) throw new IllegalArgumentException(s"the text $text")
    else merge(known, Longest(1, text))

  override def merge(one: Longest, other: Longest): Longest = Longest(
    one.count + other.count,
    if (other.text.length > one.text.length) other.text else one.text)

  override def finish(found: Longest): String = s"${found.text} of ${found.count}"

  override def bufferEncoder: Encoder[Longest] = Encoders.product

  override def outputEncoder: Encoder[String] = Encoders.STRING

  /** The function for SQL. */
  def function: UserDefinedFunction = udaf(this, Encoders.STRING)
}

/** The same by the older interface, whose buffers are columns: the sum of the lengths of texts. */
class LengthOfTexts extends UserDefinedAggregateFunction {
  override def inputSchema: StructType = new StructType().add("text", StringType)

  override def bufferSchema: StructType =
    new StructType().add("length", LongType).add("texts", ArrayType(StringType))

  override def dataType: DataType = StringType

  override def deterministic: Boolean = true

  override def initialize(buffer: MutableAggregationBuffer): Unit = {
    buffer(0) = 0L
    buffer(1) = Seq.empty[String]
  }

  override def update(buffer: MutableAggregationBuffer, input: Row): Unit =
    if (!input.isNullAt(0)) {
      buffer(0) = buffer.getLong(0) + input.getString(0).length
      buffer(1) = (buffer.getSeq[String](1) :+ input.getString(0)).sorted.take(2)
    }

  override def merge(buffer: MutableAggregationBuffer, other: Row): Unit = {
    buffer(0) = buffer.getLong(0) + other.getLong(0)
    buffer(1) = (buffer.getSeq[String](1) ++ other.getSeq[String](1)).sorted.take(2)
  }

  override def evaluate(buffer: Row): Any =
    s"${buffer.getLong(0)}: ${buffer.getSeq[String](1).mkString(", ")}"
}
