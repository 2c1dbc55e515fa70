package org.apache.spark.sql.broadhead.cache

import java.io.{DataInputStream, EOFException, InputStream, IOException, OutputStream, PushbackInputStream}
import java.nio.ByteBuffer
import java.util.Arrays

import scala.reflect.ClassTag

import org.apache.spark.internal.Logging
import org.apache.spark.serializer._
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.{SparkContext, SparkEnv}

/**
 * Spark's default serializer for the blocks in which it stores values, except for rows: these
 * become their own bytes, which takes a fifth of the time of Java's serialization.
 *
 * Spark stores rows for `localCheckpoint`, and Delta Lake the source of a MERGE.
 *
 * Shuffles of RDDs send it to their tasks.
 *
 * @param spark the serializer of all other values
 */
private[broadhead] class StoredRowsSerializer(spark: Serializer)
    extends Serializer
    with Serializable {

  override def setDefaultClassLoader(loader: ClassLoader): Serializer = {
    spark.setDefaultClassLoader(loader)
    this
  }

  override def newInstance(): SerializerInstance = new StoredRowsInstance(spark.newInstance())
}

/** Rows in the blocks of a local application. */
object StoredRows extends Logging {

  /**
   * Installs the serializer in a local application with Spark's default one: no other executor
   * reads the blocks. Spark has no interface for this, so a field is replaced.
   */
  def prepare(context: SparkContext): Unit =
    if (context.isLocal) {
      val manager = SparkEnv.get.serializerManager
      try {
        val field = classOf[SerializerManager].getDeclaredField("defaultSerializer")
        field.setAccessible(true)
        field.get(manager) match {
          case spark: Serializer if spark.getClass == classOf[JavaSerializer] =>
            field.set(manager, new StoredRowsSerializer(spark))
          case _ =>
        }
      } catch {
        case defect @ (_: ReflectiveOperationException | _: RuntimeException) =>
          logInfo("Stored rows are serialized by Spark: this version has its own way", defect)
      }
    }
}

private class StoredRowsInstance(spark: SerializerInstance) extends SerializerInstance {

  override def serialize[T: ClassTag](value: T): ByteBuffer = spark.serialize(value)

  override def deserialize[T: ClassTag](bytes: ByteBuffer): T = spark.deserialize(bytes)

  override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T =
    spark.deserialize(bytes, loader)

  override def serializeStream(output: OutputStream): SerializationStream =
    new StoringStream(spark, output)

  override def deserializeStream(input: InputStream): DeserializationStream =
    new StoredStream(spark, input)
}

/**
 * A stream of rows starts with `StoredRow.Start`; each has the number of its fields, the number of
 * its bytes, and these. Any other value in it has -1 fields. If the first value is no row, the
 * stream is Spark's own.
 */
private object StoredRow {
  val Start: Array[Byte] = "rows".getBytes("US-ASCII")
  val HeaderBytes = 8
  val Other: Int = -1
  val CopiedBytes = 4096
}

private class StoringStream(spark: SerializerInstance, output: OutputStream)
    extends SerializationStream {

  private var hasRows = false
  private lazy val others = spark.serializeStream(output)
  private var hasOthers = false
  private val header = ByteBuffer.allocate(StoredRow.HeaderBytes)
  private lazy val buffer = new Array[Byte](StoredRow.CopiedBytes)

  override def writeObject[T: ClassTag](value: T): SerializationStream = {
    value match {
      case row: UnsafeRow if !hasOthers =>
        if (!hasRows) output.write(StoredRow.Start)
        hasRows = true
        writeHeader(row.numFields, row.getSizeInBytes)
        row.writeToStream(output, buffer)
      case other if hasRows =>
        val bytes = spark.serialize[Any](other)
        writeHeader(StoredRow.Other, bytes.remaining)
        output.write(bytes.array, bytes.arrayOffset + bytes.position(), bytes.remaining)
      case other =>
        hasOthers = true
        others.writeObject[Any](other)
    }
    this
  }

  private def writeHeader(fields: Int, size: Int): Unit = {
    header.putInt(0, fields).putInt(StoredRow.HeaderBytes / 2, size)
    output.write(header.array)
  }

  override def flush(): Unit = if (hasOthers) others.flush() else output.flush()

  // Without any value the stream is Spark's own, too.
  override def close(): Unit = if (hasRows) output.close() else others.close()
}

private class StoredStream(spark: SerializerInstance, source: InputStream)
    extends DeserializationStream {

  private val input = new PushbackInputStream(source, StoredRow.Start.length)
  private lazy val data = new DataInputStream(input)
  private val header = ByteBuffer.allocate(StoredRow.HeaderBytes)

  /** Spark's own stream, if this is one. */
  private lazy val others: Option[DeserializationStream] = {
    val start = input.readNBytes(StoredRow.Start.length)
    if (Arrays.equals(start, StoredRow.Start)) {
      None
    } else {
      input.unread(start)
      Some(spark.deserializeStream(input))
    }
  }

  override def readObject[T: ClassTag](): T =
    others.fold(readRow())(_.readObject[Any]()).asInstanceOf[T]

  private def readRow(): Any = {
    val found = input.readNBytes(header.array, 0, StoredRow.HeaderBytes)
    if (found == 0) throw new EOFException
    val bytes = if (found == StoredRow.HeaderBytes) readBytes(header.getInt(4)) else truncated()
    header.getInt(0) match {
      case StoredRow.Other => spark.deserialize[Any](ByteBuffer.wrap(bytes))
      case fields =>
        val row = new UnsafeRow(fields)
        row.pointTo(bytes, bytes.length)
        row
    }
  }

  private def readBytes(size: Int): Array[Byte] = {
    val bytes = new Array[Byte](size)
    try data.readFully(bytes)
    catch { case _: EOFException => truncated() }
    bytes
  }

  /** An EOFException is the end of the values. */
  private def truncated(): Nothing = throw new IOException("a block of stored rows is truncated")

  override def close(): Unit = input.close()
}
