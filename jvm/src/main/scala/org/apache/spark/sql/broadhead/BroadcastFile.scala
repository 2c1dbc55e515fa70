package org.apache.spark.sql.broadhead

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, EOFException}
import java.lang.ref.Cleaner
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions

import org.apache.spark.{SparkConf, SparkContext, SparkEnv}
import org.apache.spark.api.python.PythonBroadcast
import org.apache.spark.broadcast.Broadcast

/** Files with all rows of a broadcast: Arrow messages, each behind its length. */
private[broadhead] object BroadcastFile {
  private val LengthBytes = 8
  private val OwnerOnly =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
  private lazy val cleaner = Cleaner.create()

  /** Writes the rows into a file of this application. */
  def write(chunks: Array[BroadcastChunk], conf: SparkConf): Path = {
    val directory = SparkEnv.get.blockManager.diskBlockManager.localDirs.head.toPath
    val path = Files.createTempFile(directory, "broadhead-", ".broadcast", OwnerOnly)
    try writeChunks(path, chunks, conf)
    catch {
      case error: Throwable =>
        Files.deleteIfExists(path)
        throw error
    }
    path
  }

  /** Lets Spark take the file to each executor once. It is deleted when the broadcast is gone. */
  def broadcast(path: Path, context: SparkContext): Broadcast[PythonBroadcast] = {
    val file = new PythonBroadcast(path.toString)
    deleteAfter(file, path)
    context.broadcast(file)
  }

  /** Spark may read the file again as long as it holds the object, and not after that. */
  private def deleteAfter(file: PythonBroadcast, path: Path): Unit = {
    cleaner.register(file, () => Files.deleteIfExists(path))
    ()
  }

  private def writeChunks(path: Path, chunks: Array[BroadcastChunk], conf: SparkConf): Unit = {
    val output = new BufferedOutputStream(Files.newOutputStream(path), 1 << 20)
    try
      chunks.foreach { chunk =>
        val message = chunk.message(conf)
        val length = ByteBuffer.allocate(LengthBytes).order(ByteOrder.LITTLE_ENDIAN)
        output.write(length.putLong(message.length.toLong).array())
        output.write(message)
        output.write(new Array[Byte](padding(message.length)))
      }
    finally output.close()
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

  private def padding(length: Int): Int = -length & (LengthBytes - 1)
}
