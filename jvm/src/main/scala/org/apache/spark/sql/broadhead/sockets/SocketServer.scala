package org.apache.spark.sql.broadhead.sockets

import java.io.IOException
import java.net.{StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.channels.{ServerSocketChannel, SocketChannel}
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/** The protocol of a socket. */
private[broadhead] trait SocketService {

  /** Serves until the other end closes the connection, which is an `IOException`. */
  def send(channel: SocketChannel): Unit

  /** Whether several connections are served at the same time. */
  def isConcurrent: Boolean = false
}

/**
 * Serves the connections of a task's worker.
 *
 * Without concurrency one at a time: a restarted worker abandons its former connection.
 */
private[broadhead] class SocketServer(path: Path, answers: SocketService)
    extends AutoCloseable
    with Logging {
  private val server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
  server.bind(UnixDomainSocketAddress.of(path))
  private val connections = ConcurrentHashMap.newKeySet[SocketChannel]()

  started(() => accept(), s"broadhead socket $path")

  private def accept(): Unit = AcceptLoop.run(server) { connection =>
    connections.add(connection)
    if (answers.isConcurrent) started(() => serve(connection), s"broadhead connection $path")
    else serve(connection)
  }

  private def serve(connection: SocketChannel): Unit =
    try answers.send(connection)
    catch {
      case _: IOException => ()
      case NonFatal(error) => logWarning(s"Cannot answer at $path", error)
    } finally {
      connection.close()
      connections.remove(connection)
    }

  private def started(run: Runnable, name: String): Unit = {
    val thread = new Thread(run, name)
    thread.setDaemon(true)
    thread.start()
  }

  override def close(): Unit = {
    server.close()
    connections.forEach(_.close())
    Files.deleteIfExists(path)
    ()
  }
}
