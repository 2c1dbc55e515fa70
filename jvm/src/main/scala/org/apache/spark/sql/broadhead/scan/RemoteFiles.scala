package org.apache.spark.sql.broadhead.scan

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, DataOutputStream, IOException}
import java.nio.ByteBuffer
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.sql.broadhead.sockets.SocketService
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** Files that are not in the local file system. */
private[broadhead] object RemoteFiles {

  def isRemote(file: PartitionedFile): Boolean = {
    val scheme = file.toPath.toUri.getScheme
    scheme != null && scheme != "file"
  }
}

/**
 * Ranges of a task's remote files, read by Spark's or the table's own access to them.
 *
 * A request has the id of the scan, the URI and the length of a file, and offset and length of
 * each range. A response has -1 and the bytes of all ranges, or the length of an error's text and
 * the text. A worker uses several connections, so that several requests are under way.
 *
 * @param allowed the URIs of each scan's files in the task: no other file is read for a worker
 */
private[broadhead] class RemoteFiles(
    access: Map[Int, FileAccess],
    allowed: Map[Int, Set[String]],
    context: TaskContext)
    extends SocketService {
  import RangeRequest._

  override def isConcurrent: Boolean = true

  override def send(channel: SocketChannel): Unit = {
    TaskContext.setTaskContext(context)
    val in = new DataInputStream(
      new BufferedInputStream(Channels.newInputStream(channel), BufferBytes))
    val out = new DataOutputStream(
      new BufferedOutputStream(Channels.newOutputStream(channel), BufferBytes))
    val files = new OpenFiles(access)
    try while (true) answer(read(in), files, out)
    finally {
      files.close()
      TaskContext.unset()
    }
  }

  private def answer(request: RangeRequest, files: OpenFiles, out: DataOutputStream): Unit = {
    val answer =
      try {
        if (!allowed.get(request.scan).exists(_.contains(request.uri))) {
          throw new IOException(s"${request.uri} is not a file of this task")
        }
        Right(files.read(request))
      } catch { case NonFatal(error) => Left(error.toString.getBytes(UTF_8)) }
    answer match {
      case Right(ranges) =>
        out.writeInt(Ok)
        ranges.foreach(range =>
          out.write(range.array(), range.arrayOffset() + range.position(), range.remaining()))
      case Left(text) =>
        out.writeInt(text.length)
        out.write(text)
    }
    out.flush()
  }
}

/** A worker's request for ranges of one file. */
private case class RangeRequest(scan: Int, uri: String, length: Long, ranges: Seq[(Long, Int)])

private object RangeRequest {
  val Ok: Int = -1
  val BufferBytes: Int = 1 << 16

  /** The next request; an `IOException` after the last one. */
  def read(in: DataInputStream): RangeRequest = {
    val (scan, uriBytes) = (in.readInt(), in.readInt())
    val (length, count) = (in.readLong(), in.readInt())
    val uri = new String(in.readNBytes(uriBytes), UTF_8)
    RangeRequest(scan, uri, length, Seq.fill(count)((in.readLong(), in.readInt())))
  }
}

/** The file that one connection reads at the moment. */
private class OpenFiles(access: Int => FileAccess) extends AutoCloseable {
  private var opened: Option[(Int, String, FileRanges)] = None

  /** The bytes of each range; throws an `IOException` if the file is shorter than Spark listed it. */
  def read(request: RangeRequest): Seq[ByteBuffer] = {
    val file = open(request)
    try file.read(request.ranges)
    catch {
      case NonFatal(error) =>
        close()
        throw error
    }
  }

  private def open(request: RangeRequest): FileRanges = opened match {
    case Some((request.scan, request.uri, file)) => file
    case _ =>
      close()
      val file = access(request.scan).open(request.uri, request.length)
      opened = Some((request.scan, request.uri, file))
      file
  }

  override def close(): Unit = {
    opened.foreach { case (_, _, file) => file.close() }
    opened = None
  }
}
