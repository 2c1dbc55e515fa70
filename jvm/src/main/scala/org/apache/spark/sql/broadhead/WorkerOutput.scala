package org.apache.spark.sql.broadhead

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorLoader

import org.apache.spark.TaskContext
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The batches in a worker's frames. A batch is valid until the next one is asked for. */
private[broadhead] class WorkerOutput(
    program: FragmentProgram,
    allocator: BufferAllocator,
    context: TaskContext)
    extends Iterator[ColumnarBatch]
    with AutoCloseable {

  private val root = ArrowLayout.root(program.output, allocator)
  private val loader = new VectorLoader(root)
  private var frames: Iterator[Array[Byte]] = Iterator.empty
  private var loaded: Option[ColumnarBatch] = None

  @volatile private var streamEnded = false
  @volatile private var frameSeen = false

  /** Takes the frames of a worker. */
  def read(frames: Iterator[Array[Byte]]): Unit = this.frames = frames

  /** Whether the worker has ended its stream, and can be used again. */
  def ended: Boolean = streamEnded

  /** Whether any frame has come. */
  def answered: Boolean = frameSeen

  override def hasNext: Boolean = {
    while (loaded.isEmpty && nextFrame().exists { frame => take(frame); true }) {}
    // An engine that was told to stop ends as if it had no more rows.
    if (loaded.isEmpty) context.killTaskIfInterrupted()
    loaded.isDefined
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException("the worker has no more batches")
    val batch = loaded.get
    loaded = None
    batch
  }

  /** Reads to the end, for the metrics alone. */
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
    case Frame.Arrow => loaded = Some(load(frame))
    case Frame.Metrics => addMetrics(Frame.text(frame))
    case Frame.Error =>
      // To the end, so that the worker can be used again; what it counted, Spark counts again.
      while (nextFrame().isDefined) {}
      throw FragmentFailure.fromFrame(Frame.text(frame))
    case other =>
      throw new IllegalStateException(s"the worker sent a frame with the unknown tag $other")
  }

  private def load(frame: Array[Byte]): ColumnarBatch = {
    val batch = Frame.readArrow(frame, allocator)
    try loader.load(batch)
    finally batch.close()
    ArrowLayout.batch(root)
  }

  private def addMetrics(text: String): Unit = {
    val values = Json.parse(text).properties().asScala.map(e => e.getKey -> e.getValue.asLong)
    values.foreach { case (name, value) => program.metrics.get(name).foreach(_.add(value)) }
    val byName = values.toMap
    val read = context.taskMetrics().inputMetrics
    program.scans.keys.foreach { node =>
      read.incBytesRead(byName.getOrElse(s"$node.bytesRead", 0L))
      read.incRecordsRead(byName.getOrElse(s"$node.rows", 0L))
    }
  }

  override def close(): Unit = root.close()
}
