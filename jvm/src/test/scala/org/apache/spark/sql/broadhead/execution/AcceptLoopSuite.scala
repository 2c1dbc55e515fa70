package org.apache.spark.sql.broadhead.execution

import java.io.IOException
import java.net.{ServerSocket, SocketAddress, SocketOption}
import java.nio.channels.{ServerSocketChannel, SocketChannel}
import java.nio.channels.spi.SelectorProvider
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.broadhead.sockets.AcceptLoop

class AcceptLoopSuite extends munit.FunSuite {

  /** A server without a free descriptor. */
  private class Exhausted extends ServerSocketChannel(SelectorProvider.provider()) {
    val attempts = new AtomicInteger

    override def accept(): SocketChannel = {
      attempts.incrementAndGet()
      throw new IOException("Too many open files")
    }

    override def bind(local: SocketAddress, backlog: Int): ServerSocketChannel = this

    override def getLocalAddress: SocketAddress = null

    override def getOption[T](name: SocketOption[T]): T = throw new UnsupportedOperationException

    override def setOption[T](name: SocketOption[T], value: T): ServerSocketChannel = this

    override def supportedOptions(): java.util.Set[SocketOption[_]] = java.util.Set.of()

    override def socket(): ServerSocket = throw new UnsupportedOperationException

    override def implCloseSelectableChannel(): Unit = ()

    override def implConfigureBlocking(block: Boolean): Unit = ()
  }

  private def started(server: ServerSocketChannel): Thread = {
    val thread = new Thread(() => AcceptLoop.run(server)(_.close()))
    thread.setDaemon(true)
    thread.start()
    thread
  }

  test("it pauses where no descriptor is free, and goes on") {
    val server = new Exhausted
    val start = System.nanoTime
    val loop = started(server)
    while (server.attempts.get < 3 && loop.isAlive) Thread.sleep(10)
    assert(loop.isAlive)
    assert(System.nanoTime - start >= 2 * AcceptLoop.PauseMillis * 1000 * 1000)
    server.close()
    loop.join(10 * AcceptLoop.PauseMillis)
    assert(!loop.isAlive)
  }

  test("it ends with the server's channel") {
    val server = ServerSocketChannel.open().bind(null)
    val loop = started(server)
    SocketChannel.open(server.getLocalAddress).close()
    assert(loop.isAlive)
    server.close()
    loop.join(10 * AcceptLoop.PauseMillis)
    assert(!loop.isAlive)
  }
}
