package io.broadhead.store

import java.io.{EOFException, FilterOutputStream, IOException, OutputStream}
import java.net.{SocketTimeoutException, URI}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FSInputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.Progressable

/**
 * An object store for tests: local files under the scheme `store`, read as slowly and as badly as
 * the settings say. Each read that does not continue the one before is a request.
 */
class StoreFileSystem extends RawLocalFileSystem {
  override def getUri: URI = StoreFileSystem.Root

  override def getScheme: String = "store"

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val file = super.open(path, bufferSize)
    new FSDataInputStream(new StoreStream(file, path.toString, new Store(getConf)))
  }

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream =
    limited(super.create(path, overwrite, bufferSize, replication, blockSize, progress), path)

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream =
    limited(
      super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress),
      path)

  private def limited(file: FSDataOutputStream, path: Path): FSDataOutputStream = {
    StoreFileSystem.created.incrementAndGet()
    new FSDataOutputStream(new FailingStream(file, path.toString, getConf), null)
  }
}

/** A file of which a store takes so many bytes: further ones, or its end, are a fault. */
private class FailingStream(file: OutputStream, path: String, conf: Configuration)
    extends FilterOutputStream(file) {
  private val fault = conf.get("fs.store.write.fault", "full")
  private val failsAtEnd = conf.getBoolean("fs.store.write.fault.at.end", false)
  private var room = conf.getLong("fs.store.room", Long.MaxValue)

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    val fits = Math.min(room, length.toLong).toInt
    file.write(bytes, offset, fits)
    room -= fits
    if (fits < length) Faults.fail(fault, path)
  }

  override def close(): Unit = {
    super.close()
    if (failsAtEnd) Faults.fail(fault, path)
  }
}

private object Faults {
  def fail(fault: String, path: String): Nothing = fault match {
    case "full" => throw new IOException("No space left on device")
    case "timeout" => throw new SocketTimeoutException(s"Read timed out: $path")
    case "denied" => throw new AccessControlException(s"Permission denied: $path")
    case "throttled" => throw new IOException(s"503 Slow Down: $path")
    case "short" => throw new EOFException(s"End of file reached before reading fully: $path")
  }
}

object StoreFileSystem {
  val Root: URI = URI.create("store:///")

  /** Requests so far, and the most that were under way at the same time. */
  val requests = new AtomicInteger()
  val underWay = new AtomicInteger()
  val mostUnderWay = new AtomicInteger()

  /** Files that were opened for writing. */
  val created = new AtomicInteger()
  private var freeAt = System.nanoTime()

  def reset(): Unit = {
    requests.set(0)
    created.set(0)
    mostUnderWay.set(0)
  }

  /** The end of the time in which all readers together may have received these bytes. */
  def reserve(bytes: Long, bytesPerSecond: Long): Long = synchronized {
    val now = System.nanoTime()
    freeAt = Math.max(now, freeAt) + bytes * 1000000000L / bytesPerSecond
    freeAt
  }
}

/** The settings `fs.store.*`, in lower case as Spark passes options on: milliseconds, bytes a second. */
class Store(conf: Configuration) {
  private val delayMillis = conf.getLong("fs.store.delay", 0L)
  private val bytesPerSecond = conf.getLong("fs.store.rate", 0L)
  private val fault = conf.get("fs.store.fault", "")
  private val faultOf = conf.get("fs.store.fault.of", "")

  /** Bytes of a file that can be read; `cut` is a file that ends after them. */
  private val faultAfter = conf.getLong("fs.store.fault.after", 0L)

  def request[T](answer: => T): T = {
    StoreFileSystem.requests.incrementAndGet()
    val now = StoreFileSystem.underWay.incrementAndGet()
    StoreFileSystem.mostUnderWay.accumulateAndGet(now, Math.max(_, _))
    try {
      if (delayMillis > 0) Thread.sleep(delayMillis)
      answer
    } finally {
      StoreFileSystem.underWay.decrementAndGet()
      ()
    }
  }

  def transfer(bytes: Int): Unit = if (bytesPerSecond > 0 && bytes > 0) {
    val wait = StoreFileSystem.reserve(bytes.toLong, bytesPerSecond) - System.nanoTime()
    if (wait > 0) Thread.sleep(wait / 1000000L, (wait % 1000000L).toInt)
  }

  /** How many of the bytes from a position on a read may have; a fault if it must not be. */
  def readable(path: String, position: Long, length: Int): Int =
    if (!path.contains(faultOf) || position + length <= faultAfter) length
    else if (fault == "cut") Math.max(0L, faultAfter - position).toInt
    else if (fault.nonEmpty) Faults.fail(fault, path)
    else length
}

private class StoreStream(file: FSDataInputStream, path: String, store: Store)
    extends FSInputStream {
  private var position = 0L
  private var continues = -1L

  override def seek(target: Long): Unit = position = target

  override def getPos: Long = position

  override def seekToNewSource(target: Long): Boolean = false

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val wanted = store.readable(path, position, length)
    def receive(): Int =
      if (wanted == 0 && length > 0) -1 else file.read(position, bytes, offset, wanted)
    val count = if (position == continues) receive() else store.request(receive())
    store.transfer(count)
    if (count > 0) position += count
    continues = position
    count
  }

  override def read(at: Long, bytes: Array[Byte], offset: Int, length: Int): Int = {
    val wanted = store.readable(path, at, length)
    val count =
      if (wanted == 0 && length > 0) -1
      else store.request(file.read(at, bytes, offset, wanted))
    store.transfer(count)
    count
  }

  override def readFully(at: Long, bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (store.readable(path, at, length) < length) Faults.fail("short", path)
    store.request(file.readFully(at, bytes, offset, length))
    store.transfer(length)
  }

  override def close(): Unit = file.close()
}
