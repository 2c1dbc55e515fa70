package org.apache.spark.sql.broadhead.broadcast

import java.io.{BufferedOutputStream, DataOutputStream, IOException}
import java.net.{StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.channels.{Channels, ServerSocketChannel, SocketChannel}
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.storage.BlockId
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.broadhead.sockets.{AcceptLoop, PrivateFiles}
import org.apache.spark.util.{ShutdownHookManager, ThreadUtils}

/**
 * Sends the rows of broadcasts to this executor's workers.
 *
 * It listens on a Unix socket in a directory that only the user can enter. A client that sends
 * the name of a broadcast of a running task receives its rows. The names are random, and workers
 * receive them over the connection that Spark has authenticated.
 */
private[broadhead] object BroadcastServer extends Logging {
  private val NameBytes = 36
  private val BufferBytes = 1 << 18
  private val End = -1L

  private lazy val threads = ThreadUtils.newDaemonCachedThreadPool("broadhead-broadcasts")

  private val offers = new ConcurrentHashMap[String, Offer]()
  private val held = new ConcurrentHashMap[String, BlockId]()

  /** Its socket; throws an `IOException` if it cannot be created in any directory. */
  lazy val path: Path = listen()

  /** Serves a broadcast until the task ends. */
  def offer(content: BroadcastContent, context: TaskContext): Unit = {
    val chunks = content.chunks
    held.put(content.name, content.block)
    offers.compute(
      content.name,
      (_, other) => Offer(chunks, if (other == null) 1 else other.tasks + 1))
    context.addTaskCompletionListener[Unit](_ => withdraw(content.name))
    ()
  }

  /** The broadcasts whose rows workers may keep. */
  def live: Seq[String] = {
    held.values.removeIf(SparkEnv.get.blockManager.getStatus(_).isEmpty)
    held.keySet.asScala.toList
  }

  /** The workers of this process drop the rows with their next tasks, unless these read them. */
  def forget(content: BroadcastContent): Unit = {
    held.remove(content.name)
    ()
  }

  private def withdraw(name: String): Unit = {
    offers.computeIfPresent(
      name,
      (_, offer) => if (offer.tasks == 1) null else offer.copy(tasks = offer.tasks - 1))
    ()
  }

  private def listen(): Path = {
    val directory = PrivateFiles.socketDirectory("broadhead-")
    ShutdownHookManager.registerShutdownDeleteDir(directory.toFile)
    val path = directory.resolve("broadcasts")
    val server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
    server.bind(UnixDomainSocketAddress.of(path))
    val thread = new Thread(
      () => AcceptLoop.run(server)(worker => threads.execute(() => answer(worker))),
      "broadhead broadcast server")
    thread.setDaemon(true)
    thread.start()
    path
  }

  private def answer(worker: SocketChannel): Unit =
    try {
      val name = new String(Channels.newInputStream(worker).readNBytes(NameBytes), US_ASCII)
      Option(offers.get(name)).foreach(offer => send(offer.chunks, worker))
    } catch {
      case gone: IOException => logDebug("A worker closed its connection to a broadcast", gone)
      case NonFatal(error) => logWarning("Cannot send a broadcast to a worker", error)
    } finally worker.close()

  private def send(chunks: Array[BroadcastChunk], worker: SocketChannel): Unit = {
    val out = new DataOutputStream(
      new BufferedOutputStream(Channels.newOutputStream(worker), BufferBytes))
    chunks.foreach { chunk =>
      val message = chunk.message(SparkEnv.get.conf)
      out.writeLong(message.length.toLong)
      // Java copies what is written at once into a buffer of that size.
      for (start <- message.indices by BufferBytes) {
        out.write(message, start, math.min(BufferBytes, message.length - start))
      }
    }
    out.writeLong(End)
    out.flush()
  }

  /** @param tasks number of running tasks that read it */
  private case class Offer(chunks: Array[BroadcastChunk], tasks: Int)
}
