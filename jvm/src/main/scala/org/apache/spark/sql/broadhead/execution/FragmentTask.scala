package org.apache.spark.sql.broadhead.execution

import org.apache.spark.{SparkException, TaskContext}
import org.apache.spark.sql.broadhead.arrow.{ArrowLayout, Frame, RowBatches}
import org.apache.spark.sql.broadhead.replay.{FragmentFailure, TaskAction}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The batches of one task: the worker's, or Spark's own if the worker fails. */
private[broadhead] class FragmentTask(
    program: FragmentProgram,
    partition: FragmentPartition,
    inputs: FragmentInputs,
    delivery: Delivery,
    context: TaskContext)
    extends Iterator[ColumnarBatch] {

  private val recovery =
    new FragmentRecovery(program, partition, context, inputs.replay.isDefined, delivery)
  private var delivered = 0L
  private var replaying = false
  private var worker: Option[WorkerRun[ColumnarBatch]] = None
  private var batches: Iterator[ColumnarBatch] = begin()

  override def hasNext: Boolean =
    if (replaying) {
      batches.hasNext
    } else {
      try batches.hasNext
      catch {
        case error: Throwable =>
          batches = recover(error)
          batches.hasNext
      }
    }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException("the fragment has no more batches")
    val batch = batches.next()
    delivered += batch.numRows()
    batch
  }

  private def begin(): Iterator[ColumnarBatch] = recovery.begin() match {
    case TaskAction.ReplayFromStart => replay(skip = 0)
    case action =>
      try {
        val asked = program.copy(heldBack = action == TaskAction.UseEngineHeldBack)
        val run = WorkerRun.batches(asked, partition, inputs, context)
        worker = Some(run)
        run.outputs
      } catch {
        case error: Throwable => recover(error)
      }
  }

  /** The rest of the rows after a failure of the worker; throws if Spark has none. */
  private def recover(error: Throwable): Iterator[ColumnarBatch] =
    recovery.afterFailure(error, worker, delivered > 0) match {
      case TaskAction.ReplayFromStart => replay(skip = 0)
      case TaskAction.ReplayRest => replay(skip = delivered)
      case TaskAction.FailForRetry => throw sparksErrorOr(FragmentFailure.of(error), error)
    }

  private def replay(skip: Long): Iterator[ColumnarBatch] = {
    replaying = true
    val remaining = Iterators.drop(inputs.replay.get.apply(), skip)
    RowBatches.ofTask(remaining, program.output, RowBatches.ReplayRows, "replay").map { root =>
      program.addToMetric("rows", root.getRowCount.toLong)
      program.addToMetric("batches", 1)
      ArrowLayout.batch(root)
    }
  }

  /** Delivered rows cannot be taken back: only an error can follow. */
  private def sparksErrorOr(failure: FragmentFailure, error: Throwable): Throwable = {
    replaying = true
    inputs.replay.foreach(_.apply().foreach(_ => ()))
    new SparkException(
      "Broadhead's engine failed after this task had returned rows " +
        s"(${failure.reason}). Spark's own operators run in the next attempt of the task. If " +
        "no attempt is left, set spark.task.maxFailures above 1 (in local mode the master " +
        "local[2, 4]), spark.broadhead.operatorMemory above the size of the task's rows, or " +
        "spark.broadhead.enabled=false",
      error)
  }
}

/** The Arrow messages of one task, of the worker's rows or of Spark's own; all in memory at once. */
private[broadhead] class FrameTask(
    program: FragmentProgram,
    partition: FragmentPartition,
    inputs: FragmentInputs,
    context: TaskContext) {

  private val recovery =
    new FragmentRecovery(program, partition, context, inputs.replay.isDefined)

  /** All messages. */
  def messages: Iterator[Array[Byte]] = messagesOrRows.fold(encode, identity)

  /** All messages of the worker, or Spark's rows if it fails: earlier messages can be discarded. */
  def messagesOrRows: Either[Iterator[InternalRow], Iterator[Array[Byte]]] =
    recovery.whole[Array[Byte], Either[Iterator[InternalRow], Iterator[Array[Byte]]]](
      WorkerRun.messages(program, partition, inputs, context))(worker =>
      Right(worker.outputs.toVector.iterator))(Left(replay()))

  private def replay(): Iterator[InternalRow] = {
    inputs.replay.get.apply().map { row =>
      program.addToMetric("rows", 1)
      row
    }
  }

  private def encode(rows: Iterator[InternalRow]): Iterator[Array[Byte]] =
    RowBatches.ofTask(rows, program.output, RowBatches.SocketRows, "replay").map(Frame.message)
}

private object Iterators {

  /** Skips rows one by one; `Iterator.drop` counts in integers. */
  def drop(rows: Iterator[InternalRow], count: Long): Iterator[InternalRow] = {
    var left = count
    while (left > 0 && rows.hasNext) {
      rows.next()
      left -= 1
    }
    rows
  }
}
