package org.apache.spark.sql.broadhead.scan

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, DataOutputStream, IOException}
import java.net.URI
import java.nio.ByteBuffer
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileRange, FSDataInputStream, Path, StreamCapabilities}

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.broadhead.execution.SocketService
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.util.SerializableConfiguration

/** Files that are not in the local file system. */
private[broadhead] object RemoteFiles {

  def isRemote(file: PartitionedFile): Boolean = {
    val scheme = file.toPath.toUri.getScheme
    scheme != null && scheme != "file"
  }

  /** Spark's access to the files of a scan: credentials, proxies, endpoints, options. */
  def access(scan: FileSourceScanExec): Broadcast[SerializableConfiguration] = {
    val conf = scan.session.sessionState.newHadoopConfWithOptions(scan.relation.options)
    scan.session.sparkContext.broadcast(new SerializableConfiguration(conf))
  }
}

/**
 * Ranges of a task's remote files, read by Hadoop's own file systems.
 *
 * A request has the id of the scan, the URI and the length of a file, and offset and length of
 * each range. A response has -1 and the bytes of all ranges, or the length of an error's text and
 * the text. A worker uses several connections, so that several requests are under way.
 *
 * @param allowed the URIs of each scan's files in the task: no other file is read for a worker
 */
private[broadhead] class RemoteFiles(
    access: Map[Int, Broadcast[SerializableConfiguration]],
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
    val files = new OpenFiles(conf)
    try while (true) answer(read(in), files, out)
    finally {
      files.close()
      TaskContext.unset()
    }
  }

  private def conf(scan: Int): Configuration = access(scan).value.value

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
private class OpenFiles(conf: Int => Configuration) extends AutoCloseable {
  private var opened: Option[(Int, String, FSDataInputStream)] = None

  /** The bytes of each range; throws an `IOException` if the file is shorter than Spark listed it. */
  def read(request: RangeRequest): Seq[ByteBuffer] = {
    val stream = open(request)
    try {
      if (request.ranges.length > 1 && stream.hasCapability(StreamCapabilities.VECTOREDIO)) {
        vectored(stream, request.ranges)
      } else {
        spanned(stream, request.ranges)
      }
    } catch {
      case NonFatal(error) =>
        close()
        throw error
    }
  }

  private def vectored(stream: FSDataInputStream, ranges: Seq[(Long, Int)]): Seq[ByteBuffer] = {
    val wanted =
      ranges.map { case (offset, length) => FileRange.createFileRange(offset, length) }
    stream.readVectored(wanted.asJava, ByteBuffer.allocate(_))
    wanted.map(_.getData.get())
  }

  /** One read from the first range to the last: those of a request are near each other. */
  private def spanned(stream: FSDataInputStream, ranges: Seq[(Long, Int)]): Seq[ByteBuffer] = {
    val start = ranges.head._1
    val (last, lastLength) = ranges.last
    val bytes = new Array[Byte](Math.toIntExact(last + lastLength - start))
    stream.readFully(start, bytes, 0, bytes.length)
    ranges.map { case (offset, length) =>
      ByteBuffer.wrap(bytes, (offset - start).toInt, length)
    }
  }

  private def open(request: RangeRequest): FSDataInputStream = opened match {
    case Some((request.scan, request.uri, stream)) => stream
    case _ =>
      close()
      val path = new Path(new URI(request.uri))
      val stream = path
        .getFileSystem(conf(request.scan))
        .openFile(path)
        .opt("fs.option.openfile.read.policy", "vector, random")
        .opt("fs.option.openfile.length", request.length.toString)
        .build()
        .get()
      opened = Some((request.scan, request.uri, stream))
      stream
  }

  override def close(): Unit = {
    opened.foreach { case (_, _, stream) => stream.close() }
    opened = None
  }
}
