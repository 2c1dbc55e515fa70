package org.apache.spark.sql.broadhead.scan.text

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, DataOutputStream}
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame, RowBatches}
import org.apache.spark.sql.broadhead.sockets.SocketService
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.TaskContext

/**
 * Rows of lines that the engine leaves to Spark's own parser.
 *
 * A request has the id of the scan, the number of lines, the length of each line, and their
 * bytes. A response has -1, the number of rows of each line, and the rows as an Arrow message
 * after its length; or the length of an error's text and the text.
 */
private[broadhead] class ParsedLines(parsings: Map[Int, LineParsing], context: TaskContext)
    extends SocketService {
  import ParsedLines._

  override def isConcurrent: Boolean = true

  override def send(channel: SocketChannel): Unit = {
    // Spark's parser reads the session's settings by the task.
    TaskContext.setTaskContext(context)
    val in = new DataInputStream(
      new BufferedInputStream(Channels.newInputStream(channel), BufferBytes))
    val out = new DataOutputStream(
      new BufferedOutputStream(Channels.newOutputStream(channel), BufferBytes))
    try while (true) answer(in, out)
    finally TaskContext.unset()
  }

  private def answer(in: DataInputStream, out: DataOutputStream): Unit = {
    val (scan, count) = (in.readInt(), in.readInt())
    val lengths = Array.fill(count)(in.readInt())
    val lines = lengths.map(in.readNBytes(_))
    try {
      val (counts, message) = parse(parsings(scan), lines)
      out.writeInt(Ok)
      counts.foreach(out.writeInt)
      out.writeInt(message.length)
      out.write(message)
    } catch {
      case NonFatal(error) =>
        val text = error.toString.getBytes(UTF_8)
        out.writeInt(text.length)
        out.write(text)
    }
    out.flush()
  }

  private def parse(
      parsing: LineParsing,
      lines: Array[Array[Byte]]): (Array[Int], Array[Byte]) = {
    val parser = parsing.parser()
    // The parser returns the same row again and again.
    val unsafe = UnsafeProjection.create(parsing.requiredSchema)
    val rows = lines.map(parser(_).map(row => unsafe(row).copy(): InternalRow).toArray)
    (rows.map(_.length), message(parsing, rows.flatten.toSeq))
  }

  private def message(parsing: LineParsing, rows: Seq[InternalRow]): Array[Byte] = {
    val allocator = ArrowLayout.newAllocator("parsed lines")
    try {
      val batches =
        new RowBatches(rows.iterator, parsing.requiredSchema, rows.length, allocator)
      try Frame.message(batches.next())
      finally batches.close()
    } finally ArrowLayout.close(allocator)
  }
}

private object ParsedLines {
  private val Ok = -1
  private val BufferBytes = 1 << 16
}
