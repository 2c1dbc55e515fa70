package org.apache.spark.sql.broadhead.sockets

import java.nio.channels.{ClosedChannelException, ServerSocketChannel, SocketChannel}

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * Takes the connections of a server until its channel is closed.
 *
 * Other failures, such as no free descriptor, may end by themselves: it pauses after each, so that
 * it neither spins nor leaves the workers that wait without an answer.
 */
private[broadhead] object AcceptLoop extends Logging {
  val PauseMillis = 500L

  def run(server: ServerSocketChannel)(serve: SocketChannel => Unit): Unit =
    while (server.isOpen) {
      try serve(server.accept())
      catch {
        case _: ClosedChannelException => ()
        case NonFatal(error) =>
          logWarning("Cannot accept the connection of a worker", error)
          Thread.sleep(PauseMillis)
      }
    }
}
