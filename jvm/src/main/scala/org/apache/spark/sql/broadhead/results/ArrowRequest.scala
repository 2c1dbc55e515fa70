package org.apache.spark.sql.broadhead.results

import java.io.ByteArrayInputStream
import java.lang.{Boolean => JavaBoolean, Integer => JavaInteger, Long => JavaLong}
import java.lang.invoke.SerializedLambda
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.Channels

import org.apache.arrow.flatbuf.{Message, RecordBatch}
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.arrow.vector.ipc.ReadChannel

import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.types._
import org.apache.spark.util.IndylambdaScalaClosures

/**
 * The limits and the layout of a result's batches.
 *
 * @param rows maximal number of rows of a batch
 * @param bytes approximate maximal number of bytes of a batch
 * @param largeStrings whether strings and binaries have 64-bit offsets
 */
private[broadhead] case class ResultLimits(rows: Long, bytes: Long, largeStrings: Boolean)

/**
 * Spark's request for the rows of a query as Arrow: `toArrow`, `toPandas`, and the results of
 * Spark Connect.
 *
 * @param streams whether each batch is a whole Arrow stream with its number of rows, else a
 *   message alone
 */
private[broadhead] case class ArrowRequest(
    schema: StructType,
    timeZone: String,
    failOnDuplicates: Boolean,
    limits: ResultLimits,
    streams: Boolean) {

  /** Whether the requested layout is that of the wire format. */
  def fits(output: StructType): Boolean =
    schema.nonEmpty && DataType.equalsStructurally(schema, output, ignoreNullability = true) &&
      !(failOnDuplicates && schema.fields.exists(field => repeatsNames(field.dataType)))

  private def repeatsNames(dataType: DataType): Boolean = dataType match {
    case StructType(fields) =>
      fields.map(_.name).distinct.length < fields.length ||
      fields.exists(field => repeatsNames(field.dataType))
    case ArrayType(element, _) => repeatsNames(element)
    case MapType(key, value, _) => repeatsNames(key) || repeatsNames(value)
    case _ => false
  }

  /** Converts the messages of a task to the results of Spark's own function for its rows. */
  def answers(messages: Iterator[Array[Byte]]): Iterator[Any] = {
    val filled = messages.filter(ArrowMessage.rows(_) > 0)
    if (streams) {
      lazy val start = ArrowMessage.firstOf(
        CompiledSpark.emptyBatch(schema, timeZone, failOnDuplicates, limits.largeStrings))
      filled.map { message =>
        (start ++ message ++ ArrowMessage.EndOfStream, ArrowMessage.rows(message))
      }
    } else {
      filled
    }
  }
}

private[broadhead] object ArrowRequest {
  private val Dataset = CompiledSpark.datasetClass.getName.replace('.', '/')
  private val DatasetFunction = """\$anonfun\$toArrowBatchRdd(?:Impl)?\$\d+""".r
  private val Connect = "org/apache/spark/sql/connect/execution/SparkConnectPlanExecution"
  private val ConnectFunction = """\$anonfun\$rowToArrowConverter\$\d+""".r

  /**
   * The request in a function that Spark maps over the rows of a result; None for any other
   * function. Spark has no interface for this, so the function is recognised by its class, its
   * method and all its fields.
   */
  def of(function: AnyRef): Option[ArrowRequest] =
    IndylambdaScalaClosures.getSerializationProxy(function).flatMap(read)

  private def read(lambda: SerializedLambda): Option[ArrowRequest] = {
    val held = (0 until lambda.getCapturedArgCount).map(lambda.getCapturedArg)
    val method = lambda.getImplMethodName.stripSuffix("$adapted")
    (lambda.getImplClass, method, held) match {
      case (
            Dataset,
            DatasetFunction(),
            Seq(
              schema: StructType,
              rows: JavaInteger,
              zone: String,
              duplicates: JavaBoolean,
              large @ _*)) =>
        // Spark 3.5 has no large strings.
        val strings = large.contains(JavaBoolean.TRUE)
        val limits = ResultLimits(limit(rows.toLong), Long.MaxValue, strings)
        Some(ArrowRequest(schema, zone, duplicates, limits, streams = false))
      case (
            Connect,
            ConnectFunction(),
            Seq(
              schema: StructType,
              rows: JavaInteger,
              bytes: JavaLong,
              zone: String,
              duplicates: JavaBoolean,
              large: JavaBoolean)) =>
        val limits = ResultLimits(limit(rows.toLong), limit(bytes), large)
        Some(ArrowRequest(schema, zone, duplicates, limits, streams = true))
      case _ => None
    }
  }

  /** Spark's zero and negative values mean no limit. */
  private def limit(value: Long): Long = if (value > 0) value else Long.MaxValue
}

/** Reads the metadata of an Arrow message, without its columns. */
private[broadhead] object ArrowMessage {
  private val Continuation = -1
  private val PrefixLength = 8

  val EndOfStream: Array[Byte] =
    ByteBuffer.allocate(PrefixLength).putInt(Continuation).putInt(0).array

  /** Number of rows of a record batch message. */
  def rows(message: Array[Byte]): Long = {
    val buffer = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN)
    val metadata = buffer.slice(PrefixLength, buffer.getInt(4)).order(ByteOrder.LITTLE_ENDIAN)
    val header = Message.getRootAsMessage(metadata).header(new RecordBatch)
    header.asInstanceOf[RecordBatch].length()
  }

  /** The bytes of the first message of a stream. */
  def firstOf(stream: Array[Byte]): Array[Byte] = {
    val channel = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(stream)))
    MessageSerializer.readMessage(channel)
    stream.take(channel.bytesRead().toInt)
  }
}
