package org.apache.spark.sql.broadhead

import java.io.{File, IOException}
import java.net.{StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.{ServerSocketChannel, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions
import java.util.Random

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.util.random.PoissonSampler

/** How often Spark draws the rows of a partition, with replacement. */
private[broadhead] case class PoissonSample(fraction: Double, seed: Long) {

  /** Gives the number of each row of a partition in turn, as `SampleExec` has them. */
  def sampler(partition: Int): PoissonSampler[Any] = {
    val seeds = new Random(seed)
    val sampler = new PoissonSampler[Any](fraction, useGapSamplingIfPossible = false)
    sampler.setSeed(Iterator.continually(seeds.nextLong()).drop(partition).next())
    sampler
  }
}

/**
 * How often a task's samples with replacement take each row, for the worker that asks at a socket.
 *
 * Spark's generator makes each number of the one before, which Python does some twenty times
 * slower; and how many are wanted nobody knows before the rows are there. The sockets are files of
 * a directory that only the user can enter.
 */
private[broadhead] class DrawnCounts extends AutoCloseable with Logging {
  private lazy val directory = DrawnCounts.newDirectory()
  private var servers: Seq[CountServer] = Nil

  /** Where the worker asks for the numbers of each sample of a task, by node id. */
  def open(program: FragmentProgram, partition: FragmentPartition): Map[Int, String] =
    program.samples.map { case (node, sample) =>
      val path = directory.resolve(node.toString)
      servers :+= new CountServer(path, () => sample.sampler(partition.parts(node).head))
      node -> path.toString
    }

  override def close(): Unit = if (servers.nonEmpty) {
    try {
      servers.foreach(_.close())
      Files.deleteIfExists(directory)
      ()
    } catch { case error: IOException => logWarning(s"Cannot delete $directory", error) }
  }
}

private object DrawnCounts {
  private val OwnerOnly =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))

  /** Paths of sockets are short: 107 bytes on Linux, 103 on macOS; the rest is for our names. */
  private val MaxParentBytes = 64

  private def newDirectory(): Path = {
    val temporary = System.getProperty("java.io.tmpdir")
    val parent = if (temporary.getBytes(UTF_8).length > MaxParentBytes) "/tmp" else temporary
    Files.createTempDirectory(new File(parent).toPath, "broadhead-", OwnerOnly)
  }
}

/** Sends whoever asks the numbers of one sample, as many as are read. */
private class CountServer(val path: Path, newSampler: () => PoissonSampler[Any])
    extends AutoCloseable
    with Logging {
  import CountServer._

  private val server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
  server.bind(UnixDomainSocketAddress.of(path))
  @volatile private var connection: Option[SocketChannel] = None

  private val thread = new Thread(() => serve(), s"broadhead counts $path")
  thread.setDaemon(true)
  thread.start()

  /** One at a time: a worker that starts anew leaves the connection that it had. */
  private def serve(): Unit =
    try {
      while (server.isOpen) {
        connection = Some(server.accept())
        try send(connection.get)
        catch { case _: IOException => connection.get.close() }
      }
    } catch {
      case _: IOException => ()
      case NonFatal(error) =>
        logWarning(s"Cannot draw the rows of a sample for $path", error)
        close()
    }

  private def send(channel: SocketChannel): Unit = {
    val sampler = newSampler()
    val chunk = ByteBuffer.allocateDirect(ChunkBytes).order(ByteOrder.LITTLE_ENDIAN)
    while (true) {
      chunk.clear()
      while (chunk.hasRemaining) chunk.putInt(sampler.sample())
      chunk.flip()
      while (chunk.hasRemaining) channel.write(chunk)
    }
  }

  override def close(): Unit = {
    server.close()
    connection.foreach(_.close())
    Files.deleteIfExists(path)
    ()
  }
}

private object CountServer {
  private val ChunkBytes = 1 << 16
}
