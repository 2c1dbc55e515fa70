package org.apache.spark.sql.broadhead.execution

import java.io.{BufferedInputStream, BufferedOutputStream, DataInputStream, DataOutputStream, IOException}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.scan.RemoteFiles
import org.apache.spark.sql.broadhead.scan.text.ParsedLines
import org.apache.spark.sql.broadhead.sockets.{PrivateFiles, SocketServer, SocketService}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.random.PoissonSampler

/**
 * Sockets for the requests of a task's worker to Spark's own code.
 *
 * Each is a Unix socket in a directory that only the user can enter and that is deleted with the
 * task. No socket is opened before its path is sent to a worker, so that closing them is
 * complete.
 */
private[broadhead] class TaskSockets(
    program: FragmentProgram,
    partition: FragmentPartition,
    context: TaskContext)
    extends AutoCloseable
    with Logging {
  private lazy val directory = PrivateFiles.socketDirectory("broadhead-")
  private var servers: Seq[SocketServer] = Nil

  /** Number of copies of each row in each sample with replacement, by node id. */
  lazy val counts: Map[Int, String] = program.samples.map { case (node, sample) =>
    node -> open(node.toString, new SampleCounts(sample, partition.parts(node).head))
  }

  /** The collation keys of strings, if the fragment has strings with a collation. */
  lazy val collations: Option[String] =
    if (program.collated) Some(open("collations", CollationKeys)) else None

  /** Ranges of the files that are not in the local file system, if the task reads any. */
  lazy val files: Option[String] = {
    val remote = partition.files
      .map { case (node, files) => node -> files.filter(RemoteFiles.isRemote) }
      .filter(_._2.nonEmpty)
    val allowed = remote.map { case (node, files) =>
      node -> files.map(_.toPath.toUri.toString).toSet
    }
    if (remote.isEmpty) None
    else Some(open("files", new RemoteFiles(program.fileAccess, allowed, context)))
  }

  /** Spark's parser of lines of text, if the fragment scans files that need it. */
  lazy val lines: Option[String] =
    if (program.lineParsings.isEmpty) None
    else Some(open("lines", new ParsedLines(program.lineParsings, context)))

  /** Spark's own evaluation of the fragment's expressions that the engine does not have. */
  lazy val expressions: Option[String] =
    if (program.evaluations.isEmpty) None
    else Some(open("expressions", new EvaluatedExpressions(program.evaluations, context)))

  private def open(name: String, answers: SocketService): String = {
    val path = directory.resolve(name)
    servers :+= new SocketServer(path, answers)
    path.toString
  }

  override def close(): Unit = if (servers.nonEmpty) {
    try {
      servers.foreach(_.close())
      Files.deleteIfExists(directory)
      ()
    } catch { case error: IOException => logWarning(s"Cannot delete $directory", error) }
  }
}

/**
 * The keys by which Spark's collations order strings, from Spark's own tables.
 *
 * A request has the collation's name and the strings, a response their keys: each list starts
 * with the lengths of all its entries.
 */
private[broadhead] object CollationKeys extends SocketService {
  private val BufferBytes = 1 << 16

  override def send(channel: SocketChannel): Unit = {
    val in = new DataInputStream(
      new BufferedInputStream(Channels.newInputStream(channel), BufferBytes))
    val out = new DataOutputStream(
      new BufferedOutputStream(Channels.newOutputStream(channel), BufferBytes))
    while (true) answer(in, out)
  }

  private def answer(in: DataInputStream, out: DataOutputStream): Unit = {
    val (nameBytes, count) = (in.readInt(), in.readInt())
    val keyOf = CompiledSpark.collationKeys(new String(in.readNBytes(nameBytes), UTF_8))
    val lengths = Array.fill(count)(in.readInt())
    val keys = lengths.map { length =>
      keyOf(UTF8String.fromBytes(in.readNBytes(length)))
    }
    keys.foreach(key => out.writeInt(key.length))
    keys.foreach(out.write(_))
    out.flush()
  }
}

/** The number of copies of each row of a partition, drawn with replacement. */
private[broadhead] case class PoissonSample(fraction: Double, seed: Long) {

  /** Draws the number of each row of a partition in turn, like `SampleExec`. */
  def sampler(partition: Int): PoissonSampler[Any] = {
    val seeds = new Random(seed)
    val sampler = new PoissonSampler[Any](fraction, useGapSamplingIfPossible = false)
    sampler.setSeed(Iterator.continually(seeds.nextLong()).drop(partition).next())
    sampler
  }
}

/**
 * The number of copies of each row of a partition in a sample with replacement, without end.
 *
 * Spark's generator computes each number from the one before, which is some twenty times slower
 * in Python, and the number of rows is not known in advance.
 *
 * @param partition its number, which a task that runs another branch of a union does not have
 */
private[broadhead] class SampleCounts(sample: PoissonSample, partition: => Int)
    extends SocketService {

  override def send(channel: SocketChannel): Unit = {
    val sampler = sample.sampler(partition)
    val chunk = ByteBuffer.allocateDirect(SampleCounts.ChunkBytes).order(ByteOrder.LITTLE_ENDIAN)
    while (true) {
      chunk.clear()
      while (chunk.hasRemaining) chunk.putInt(sampler.sample())
      chunk.flip()
      while (chunk.hasRemaining) channel.write(chunk)
    }
  }
}

private object SampleCounts {
  private val ChunkBytes = 1 << 16
}
