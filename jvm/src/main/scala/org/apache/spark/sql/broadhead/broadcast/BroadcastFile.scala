package org.apache.spark.sql.broadhead.broadcast

import java.io.{BufferedInputStream, DataInputStream, EOFException, File, IOException}
import java.lang.ref.Cleaner
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path, Paths}
import java.nio.file.StandardOpenOption.WRITE
import java.util.stream.IntStream

import scala.annotation.tailrec
import scala.util.{Failure, Try}

import org.apache.spark.api.python.PythonBroadcast
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkContext}

/** Files with all rows of a broadcast: Arrow messages, each behind its length. */
private[broadhead] object BroadcastFile extends Logging {
  private val LengthBytes = 8

  /** The JVM keeps memory outside its heap as large as the largest single write. */
  private val WrittenAtOnce = 1 << 20
  private val OwnerOnly =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
  private lazy val cleaner = Cleaner.create()

  /** Writes the rows into a file of this application, in the first directory that takes it. */
  @tailrec
  def write(chunks: Array[BroadcastChunk], directories: Seq[File], conf: SparkConf): Path =
    Try(writeFile(directories.head.toPath, chunks, conf)) match {
      case Failure(full: IOException) if directories.tail.nonEmpty =>
        logWarning(s"Cannot write a broadcast into ${directories.head}, which may be full", full)
        write(chunks, directories.tail, conf)
      case outcome => outcome.get
    }

  private def writeFile(directory: Path, chunks: Array[BroadcastChunk], conf: SparkConf): Path = {
    val path = Files.createTempFile(directory, "broadhead-", ".broadcast", OwnerOnly)
    try writeChunks(path, chunks, conf)
    catch {
      case error: Throwable =>
        Files.deleteIfExists(path)
        throw error
    }
    path
  }

  /**
   * The file for all processes of the application: Spark takes it to each executor once, and to
   * none of a local application, where only its path is broadcast. It is deleted when the broadcast
   * is gone.
   */
  def broadcast(path: Path, context: SparkContext): Broadcast[AnyRef] =
    if (context.isLocal) {
      val name = context.broadcast[AnyRef](path.toString)
      deleteAfter(name, path)
      name
    } else {
      val content = new PythonBroadcast(path.toString)
      deleteAfter(content, path)
      context.broadcast[AnyRef](content)
    }

  /** Where this process finds the file. */
  def pathOf(broadcast: Broadcast[AnyRef]): Path = broadcast.value match {
    case content: PythonBroadcast => Paths.get(content.path)
    case path => Paths.get(path.toString)
  }

  /** Spark may read the file again as long as it holds the object, and not after that. */
  private def deleteAfter(holder: AnyRef, path: Path): Unit = {
    cleaner.register(holder, () => Files.deleteIfExists(path))
    ()
  }

  /** Each chunk knows its place, so that they are decompressed and written at the same time. */
  private def writeChunks(path: Path, chunks: Array[BroadcastChunk], conf: SparkConf): Unit = {
    val starts =
      chunks.scanLeft(0L)((start, chunk) => start + LengthBytes + padded(chunk.messageBytes))
    val channel = FileChannel.open(path, WRITE)
    try
      IntStream.range(0, chunks.length).parallel().forEach { number =>
        val message = chunks(number).message(conf)
        val length = ByteBuffer.allocate(LengthBytes).order(ByteOrder.LITTLE_ENDIAN)
        length.putLong(message.length.toLong).flip()
        val filled = ByteBuffer.allocate(padding(message.length))
        Seq(length, ByteBuffer.wrap(message), filled).foldLeft(starts(number))((place, bytes) =>
          write(channel, bytes, place))
        ()
      }
    finally channel.close()
  }

  /** Writes all bytes; the place behind them. */
  private def write(channel: FileChannel, bytes: ByteBuffer, start: Long): Long = {
    val end = bytes.limit()
    var place = start
    while (bytes.position() < end) {
      bytes.limit(math.min(end, bytes.position() + WrittenAtOnce))
      place += channel.write(bytes, place)
    }
    place
  }

  /** Calls with each Arrow message of a file. */
  def foreachMessage(path: Path)(take: Array[Byte] => Unit): Unit = {
    val input = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 20))
    try {
      var left = Files.size(path)
      while (left > 0) {
        val length = Math.toIntExact(java.lang.Long.reverseBytes(input.readLong()))
        val message = new Array[Byte](length)
        input.readFully(message)
        input.skipNBytes(padding(length).toLong)
        left -= LengthBytes + length + padding(length)
        take(message)
      }
    } catch {
      case error: EOFException =>
        throw new IllegalStateException(s"the broadcast file $path is cut off", error)
    } finally input.close()
  }

  private def padded(length: Int): Long = length.toLong + padding(length)

  private def padding(length: Int): Int = -length & (LengthBytes - 1)
}
