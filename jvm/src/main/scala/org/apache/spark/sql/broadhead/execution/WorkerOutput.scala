package org.apache.spark.sql.broadhead.execution

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.broadhead.arrow.Frame
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.gpu.{HostFunctions, LongFunctions}
import org.apache.spark.sql.broadhead.replay.{FragmentFailure, WorkerHealth}
import org.apache.spark.TaskContext

/** The outputs in a worker's frames. */
private[broadhead] class WorkerOutput[T](
    program: FragmentProgram,
    sources: Seq[TaskSource],
    decoder: TaskOutputDecoder[T],
    context: TaskContext)
    extends Iterator[T]
    with AutoCloseable {

  private var frames: Iterator[Array[Byte]] = Iterator.empty
  private var decoded: Option[T] = None

  @volatile private var streamEnded = false
  @volatile private var frameSeen = false

  /** Receives the frames of a worker. */
  def read(frames: Iterator[Array[Byte]]): Unit = this.frames = frames

  /** Whether the worker has ended its stream, and can be used again. */
  def ended: Boolean = streamEnded

  /** Whether any frame has arrived. */
  def answered: Boolean = frameSeen

  override def hasNext: Boolean = {
    while (decoded.isEmpty && nextFrame().exists { frame => take(frame); true }) {}
    // A stopped engine ends as if it had no more rows.
    if (decoded.isEmpty) context.killTaskIfInterrupted()
    decoded.isDefined
  }

  override def next(): T = {
    if (!hasNext) throw new NoSuchElementException("the worker sends no more output")
    val output = decoded.get
    decoded = None
    output
  }

  /** Reads to the end, only for the metrics. */
  def drain(): Unit =
    Iterator.continually(nextFrame()).takeWhile(_.isDefined).flatten.foreach { frame =>
      if (Frame.tag(frame) == Frame.Metrics) addMetrics(Frame.text(frame))
    }

  private def nextFrame(): Option[Array[Byte]] =
    if (!streamEnded && frames.hasNext) {
      val frame = frames.next()
      if (!frameSeen) {
        frameSeen = true
        WorkerHealth.answered()
      }
      Some(frame)
    } else {
      streamEnded = true
      None
    }

  private def take(frame: Array[Byte]): Unit = Frame.tag(frame) match {
    case tag if tag == decoder.tag => decoded = Some(decoder.decode(frame))
    case Frame.Metrics => addMetrics(Frame.text(frame))
    case Frame.Error =>
      skipRest()
      throw FragmentFailure.fromFrame(Frame.text(frame))
    case other =>
      throw new IllegalStateException(s"the worker sent a frame with the unknown tag $other")
  }

  /**
   * To the end, so that the worker can be used again; Spark counts its metrics again. A worker that
   * cannot be used again ends after its error with an exception.
   */
  private def skipRest(): Unit =
    try while (nextFrame().isDefined) {}
    catch { case NonFatal(_) => streamEnded = true }

  private def addMetrics(text: String): Unit = {
    val values = Json.parse(text).properties().asScala.map(e => e.getKey -> e.getValue.asLong)
    values.foreach { case (name, value) => program.metrics.get(name).foreach(_.add(value)) }
    program.fallbackTimes.foreach { case (node, times) =>
      val prefix = s"$node.${FallbackTimes.Prefix}"
      values.foreach { case (name, value) =>
        if (name.startsWith(prefix) && value > 0) times.add(name.stripPrefix(prefix) -> value)
      }
    }
    val byName = values.toMap
    if (byName.exists { case (name, tasks) => name.endsWith(PythonMetrics.OnHost) && tasks > 0 })
      program.gpu.foreach(HostFunctions.add)
    val inLargeGroups = byName.collect {
      case (name, time) if name.endsWith(PythonMetrics.LargeGroups) => time
    }
    if (inLargeGroups.nonEmpty) program.gpu.foreach(LongFunctions.add(_, inLargeGroups.sum))
    val read = context.taskMetrics().inputMetrics
    program.scans.keys.foreach { node =>
      read.incBytesRead(byName.getOrElse(s"$node.bytesRead", 0L))
      read.incRecordsRead(byName.getOrElse(s"$node.rows", 0L))
    }
    sources.foreach {
      case blocks: ShuffleBlocksOfTask =>
        blocks.rowsRead(byName.getOrElse(s"${blocks.node}.rows", 0L))
      case _ =>
    }
  }

  override def close(): Unit = decoder.close()
}
