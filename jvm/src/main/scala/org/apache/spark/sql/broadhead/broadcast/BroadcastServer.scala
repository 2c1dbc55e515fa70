package org.apache.spark.sql.broadhead.broadcast

import java.io.{BufferedOutputStream, DataOutputStream, IOException}
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.storage.BlockId
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.util.ThreadUtils

/**
 * Gives workers of this executor the rows of the broadcasts that their tasks read.
 *
 * It listens where only this host can reach it, as Spark does for its workers, and needs no file for
 * that: local directories may be full. Who names a broadcast that a running task reads gets its
 * rows; the names are random and come to workers over the connection that Spark has authenticated.
 */
private[broadhead] object BroadcastServer extends Logging {
  private val NameBytes = 36
  private val NameMillis = 10000
  private val BufferBytes = 1 << 16
  private val End = -1L

  private lazy val threads = ThreadUtils.newDaemonCachedThreadPool("broadhead-broadcasts")
  private lazy val server = listen()

  private val offers = new ConcurrentHashMap[String, Offer]()
  private val held = new ConcurrentHashMap[String, BlockId]()

  def address: InetSocketAddress =
    server.getLocalSocketAddress.asInstanceOf[InetSocketAddress]

  /** Answers for a broadcast until the task ends. */
  def offer(content: BroadcastContent, context: TaskContext): Unit = {
    val chunks = content.chunks
    held.put(content.name, content.block)
    offers.compute(
      content.name,
      (_, other) => Offer(chunks, if (other == null) 1 else other.tasks + 1))
    context.addTaskCompletionListener[Unit](_ => withdraw(content.name))
    ()
  }

  /** The broadcasts of which workers may keep the rows. */
  def live: Seq[String] = {
    held.values.removeIf(SparkEnv.get.blockManager.getStatus(_).isEmpty)
    held.keySet.asScala.toSeq
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

  private def listen(): ServerSocket = {
    val socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress)
    val thread = new Thread(() => accept(socket), "broadhead broadcast server")
    thread.setDaemon(true)
    thread.start()
    socket
  }

  private def accept(socket: ServerSocket): Unit =
    while (true) {
      try {
        val worker = socket.accept()
        threads.execute(() => answer(worker))
      } catch { case NonFatal(error) => logWarning("Cannot accept the connection of a worker", error) }
    }

  private def answer(worker: Socket): Unit =
    try {
      worker.setSoTimeout(NameMillis)
      val name = new String(worker.getInputStream.readNBytes(NameBytes), US_ASCII)
      Option(offers.get(name)).foreach(offer => send(offer.chunks, worker))
    } catch {
      case gone: IOException => logDebug("A worker closed its connection to a broadcast", gone)
      case NonFatal(error) => logWarning("Cannot send a broadcast to a worker", error)
    } finally worker.close()

  private def send(chunks: Array[BroadcastChunk], worker: Socket): Unit = {
    val out =
      new DataOutputStream(new BufferedOutputStream(worker.getOutputStream, BufferBytes))
    chunks.foreach { chunk =>
      val message = chunk.message(SparkEnv.get.conf)
      out.writeLong(message.length.toLong)
      out.write(message)
    }
    out.writeLong(End)
    out.flush()
  }

  /** @param tasks how many running tasks read it */
  private case class Offer(chunks: Array[BroadcastChunk], tasks: Int)
}
