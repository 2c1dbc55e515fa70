package org.apache.spark.sql.broadhead.gpu

import java.io.{DataInputStream, DataOutputStream, EOFException, File, IOException}
import java.net.{StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.ByteBuffer
import java.nio.channels.{Channels, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.broadhead.{BuildInfo, Setting, Settings}

import org.apache.spark.internal.Logging
import org.apache.spark.{SparkConf, SparkContext, SparkEnv, TaskContext}
import org.apache.spark.sql.broadhead.application.{BroadheadState, PythonProbe, WorkerEnvironment}
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.sockets.{PrivateFiles, ServingProcess}
import org.apache.spark.sql.broadhead.versions.Recoverable
import org.apache.spark.util.{ShutdownHookManager, Utils}

/**
 * The process that computes on this executor's GPU: each of its threads runs a task's fragment.
 *
 * @param socket the Unix socket on which it takes tasks
 */
private[broadhead] class DeviceProcess(process: Process, socket: Path) {
  import DeviceProcess._

  def isAlive: Boolean = process.isAlive

  /** The frames of a fragment's run; `input` is sent meanwhile. */
  def run(
      fragment: String,
      input: Iterator[Array[Byte]],
      context: TaskContext): Iterator[Array[Byte]] = {
    val connection = new DeviceConnection(connect(), context)
    context.addTaskCompletionListener[Unit](_ => connection.close())
    connection.start(fragment, input)
    connection
  }

  /** Has it write the rows of a map output that it keeps; returns the bytes of each partition. */
  def writeFile(block: String, file: String): Array[Long] = {
    val channel = connect()
    try {
      val output = new DataOutputStream(Channels.newOutputStream(channel))
      output.writeByte(WriteFile)
      writeText(block, output)
      writeText(file, output)
      val answer = new DataInputStream(Channels.newInputStream(channel))
      val text = new String(answer.readNBytes(answer.readInt()), UTF_8)
      Json.parse(text).elements().asScala.map(_.asLong).toArray
    } finally channel.close()
  }

  /** Has it give back the memory that it has freed and keeps; returns when it has. */
  def release(): Unit = {
    val channel = connect()
    try {
      channel.write(ByteBuffer.wrap(Array(Release.toByte)))
      new DataInputStream(Channels.newInputStream(channel)).readInt()
      ()
    } finally channel.close()
  }

  def end(): Unit = {
    process.getOutputStream.close()
    if (!process.waitFor(EndMillis, TimeUnit.MILLISECONDS)) process.destroyForcibly()
    Utils.deleteRecursively(socket.getParent.toFile)
  }

  private def connect(): SocketChannel = {
    val channel = SocketChannel.open(StandardProtocolFamily.UNIX)
    channel.connect(UnixDomainSocketAddress.of(socket))
    channel
  }
}

object DeviceProcess extends Logging {
  private[gpu] val Run = 'R'
  private[gpu] val WriteFile = 'F'
  private[gpu] val Release = 'M'
  private val EndMillis = 3000L

  /** Failed starts in a row. Then tasks run in workers. */
  private val MostStarts = 3

  /** Within a minute. Then tasks run on the CPU. */
  private val MostDeaths = 3
  private val DeathNanos = TimeUnit.MINUTES.toNanos(1)

  private var current: Option[DeviceProcess] = None
  private var starts = 0
  private var watched: Option[SparkContext] = None
  private var deaths = Seq.empty[Long]
  @volatile private var givenUp = false

  /** The process, started on first use; None where it is not wanted or cannot start. */
  private[broadhead] def get: Option[DeviceProcess] = synchronized {
    if (current.exists(!_.isAlive)) {
      died()
    }
    if (current.isEmpty && !givenUp && starts < MostStarts && isWanted(SparkEnv.get.conf)) {
      current = start(SparkEnv.get.conf)
      starts = if (current.isEmpty) starts + 1 else 0
    }
    // it may have started before its application
    if (current.isDefined) watchQueries()
    current
  }

  /** Leaves its free memory to a worker that is to use the GPU. */
  private[broadhead] def makeRoom(): Unit = {
    val running = synchronized(current.filter(_.isAlive))
    try running.foreach(_.release())
    catch { case error: IOException => logDebug("The process on the GPU has ended", error) }
  }

  private def watchQueries(): Unit =
    SparkContext.getActive.filterNot(context => watched.exists(_ eq context)).foreach { context =>
      context.addSparkListener(new KeptBlocksOfQueries)
      watched = Some(context)
    }

  /** Whether it has died so often that tasks stay on the CPU. */
  private[broadhead] def isGivenUp: Boolean = givenUp

  /**
   * Starts it in the background, so that it is ready when the first task asks for it. A session
   * that uses the GPU although the application does not starts it with its first task.
   */
  def startAhead(conf: SparkConf): Unit = if (isLocal(conf) && isOn(conf) && mayUseGpu(conf)) {
    val thread = new Thread(
      () =>
        try if (BroadheadState.python.exists(_.gpus.nonEmpty)) { val _ = get }
        catch {
          case Recoverable(error) =>
            logInfo("Broadhead could not start its process on the GPU in advance", error)
        },
      "broadhead device process")
    thread.setDaemon(true)
    thread.start()
  }

  /** Ends it with the executor. */
  def stop(): Unit = synchronized {
    current.foreach(_.end())
    current = None
    starts = 0
    givenUp = false
    deaths = Nil
    watched = None
    KeptBlocks.lose()
  }

  private def died(): Unit = {
    KeptBlocks.lose()
    current = None
    val now = System.nanoTime()
    deaths = deaths.filter(now - _ < DeathNanos) :+ now
    if (deaths.length < MostDeaths) {
      logWarning("The process on the GPU has ended; Broadhead starts another one")
    } else {
      givenUp = true
      logError(
        s"The process on the GPU has ended $MostDeaths times in a minute: from now on Broadhead " +
          s"computes on the CPU. What ended it is above; ${Settings.GpuProcess.key}=false uses " +
          "the GPU from Spark's Python workers")
    }
  }

  /** Rows that stay on one GPU are far from tasks on another, and from other executors. */
  private[broadhead] def isWanted(conf: SparkConf): Boolean =
    isLocal(conf) && isOn(conf) && ExecutorGpus.all.length == 1

  private def isLocal(conf: SparkConf): Boolean = Utils.isLocalMaster(conf)

  private def isOn(conf: SparkConf): Boolean = of(Settings.GpuProcess, conf)

  private def mayUseGpu(conf: SparkConf): Boolean =
    of(Settings.Enabled, conf) && of(Settings.Device, conf) != "cpu"

  private def of[T](setting: Setting[T], conf: SparkConf): T =
    setting.valueOf(conf.get(setting.key, setting.defaultText))

  private def start(conf: SparkConf): Option[DeviceProcess] =
    try {
      val directory = PrivateFiles.socketDirectory("broadhead-device-")
      ShutdownHookManager.registerShutdownDeleteDir(directory.toFile)
      val command = Seq(PythonProbe.interpreter(conf), "-m", "broadhead.device", s"$directory")
      val process =
        ServingProcess.start(command ++ emptyDisks.map(_.getPath), environment(conf))
      Some(new DeviceProcess(process, directory.resolve("device")))
    } catch {
      case NonFatal(error) =>
        logWarning(
          "Broadhead could not start its process on the GPU; this task runs in a worker",
          error)
        None
    }

  /** Directories for kept rows, in those that Spark deletes at the end. */
  private def emptyDisks: Seq[File] = {
    val found = SparkEnv.get.blockManager.diskBlockManager.localDirs.toSeq
    val disks = found.map(new File(_, "broadhead-kept"))
    disks.foreach(Utils.deleteRecursively)
    disks
  }

  private def environment(conf: SparkConf): Map[String, String] = {
    val path = BuildInfo.pythonPath.toSeq ++ sys.env.get("PYTHONPATH")
    WorkerEnvironment.of(conf) ++ WorkerEnvironment.memory ++ ExecutorGpus.all.head.environment +
      ("PYTHONPATH" -> path.mkString(File.pathSeparator))
  }

  private[gpu] def writeText(text: String, output: DataOutputStream): Unit = {
    val bytes = text.getBytes(UTF_8)
    output.writeInt(bytes.length)
    output.write(bytes)
  }
}

/** The connection of one task: frames from the process, while a thread sends those for it. */
private class DeviceConnection(channel: SocketChannel, context: TaskContext)
    extends Iterator[Array[Byte]]
    with AutoCloseable {
  import DeviceConnection._

  @volatile private var thrown: Option[Throwable] = None
  private var nextLength: Option[Int] = None

  def start(fragment: String, frames: Iterator[Array[Byte]]): Unit = {
    val bytes = fragment.getBytes(UTF_8)
    write(Array[Byte](DeviceProcess.Run.toByte))
    writeFrame(bytes)
    val thread = new Thread(() => send(frames), s"broadhead input ${context.taskAttemptId()}")
    thread.setDaemon(true)
    thread.start()
  }

  private def send(frames: Iterator[Array[Byte]]): Unit = {
    TaskContext.setTaskContext(context)
    try {
      frames.foreach(writeFrame)
      write(number(EndOfData))
    } catch {
      // The task fails when it reads: the process gets no more input.
      case error: Throwable =>
        thrown = Some(error)
        close()
    } finally TaskContext.unset()
  }

  override def hasNext: Boolean = {
    if (nextLength.isEmpty) nextLength = Some(reading(ByteBuffer.wrap(read(4)).getInt))
    nextLength.get != EndOfData
  }

  override def next(): Array[Byte] = {
    if (!hasNext) throw new NoSuchElementException("the process sends no more frames")
    val frame = reading(read(nextLength.get))
    nextLength = None
    frame
  }

  private def reading[T](read: => T): T =
    try read
    catch {
      case error: IOException =>
        context.killTaskIfInterrupted()
        throw thrown.getOrElse(
          new IOException("the process on the GPU has ended before the task", error))
    }

  // The JDK's own streams over a channel let only one thread read or write at a time.
  private def read(length: Int): Array[Byte] = {
    val bytes = ByteBuffer.allocate(length)
    while (bytes.position() < length) {
      // Java reads into a buffer as large as what is asked for, and keeps that for the thread.
      bytes.limit(math.min(length, bytes.position() + BufferBytes))
      if (channel.read(bytes) < 0)
        throw new EOFException(s"${length - bytes.position()} bytes are missing")
    }
    bytes.array()
  }

  private def writeFrame(frame: Array[Byte]): Unit = {
    write(number(frame.length))
    write(frame)
  }

  private def number(value: Int): Array[Byte] = ByteBuffer.allocate(4).putInt(value).array()

  private def write(bytes: Array[Byte]): Unit = {
    val rest = ByteBuffer.wrap(bytes)
    while (rest.hasRemaining) channel.write(rest)
  }

  override def close(): Unit = channel.close()
}

private object DeviceConnection {
  private val EndOfData = -1
  private val BufferBytes = 1 << 18
}
