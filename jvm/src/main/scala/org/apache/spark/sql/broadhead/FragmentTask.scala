package org.apache.spark.sql.broadhead

import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.{SparkException, TaskContext, TaskKilledException}
import org.apache.spark.api.python.PythonException
import org.apache.spark.internal.Logging
import org.apache.spark.shuffle.FetchFailedException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The batches of one task: the worker's, or Spark's own where the worker cannot give them.
 *
 * @param repeatable whether Spark's operators would give the same rows in the same order
 */
private[broadhead] class FragmentTask(
    program: FragmentProgram,
    partition: FragmentPartition,
    inputs: FragmentInputs,
    repeatable: Boolean,
    context: TaskContext)
    extends Iterator[ColumnarBatch]
    with Logging {

  private var delivered = 0L
  private var replaying = false
  private var worker: Option[WorkerRun] = None
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

  private def begin(): Iterator[ColumnarBatch] = {
    // The attempt before may have failed behind rows that it cannot give again.
    val retry = context.attemptNumber() > 0 && !repeatable
    if (retry || WorkerHealth.broken) {
      replay(skip = 0)
    } else {
      try {
        val run = new WorkerRun(program, partition, inputs, context)
        worker = Some(run)
        run.batches
      } catch {
        case error: Throwable => recover(error)
      }
    }
  }

  /** The rest of the rows after a failure of the worker; throws what is no such failure. */
  private def recover(error: Throwable): Iterator[ColumnarBatch] = {
    worker.flatMap(_.sourceFailure).foreach(throw _)
    if (context.isInterrupted() || !replayable(error)) throw error
    val failure = FragmentFailure.of(error)
    if (neverStarted(error)) WorkerHealth.failedToStart()
    if (failure.defect) report(failure, error)
    worker.foreach(_.finish())
    if (delivered == 0) {
      replay(skip = 0)
    } else if (repeatable) {
      replay(skip = delivered)
    } else {
      throw sparksErrorOr(failure, error)
    }
  }

  private def replayable(error: Throwable): Boolean = error match {
    case _: FetchFailedException | _: TaskKilledException | _: ClosedByInterruptException => false
    // Classes of another Spark than the jar was made for are our fault, not the user's.
    case NonFatal(_) | _: LinkageError => context.fetchFailed.isEmpty
    case _ => false
  }

  /** Whether Python itself said no before anything ran; a worker that dies says nothing. */
  private def neverStarted(error: Throwable): Boolean =
    worker.isEmpty || (!worker.exists(_.answered) && error.isInstanceOf[PythonException])

  private def report(failure: FragmentFailure, error: Throwable): Unit = {
    if (program.strict) {
      throw new SparkException(
        "Broadhead's engine failed, and spark.broadhead.strict is true: " +
          s"${failure.reason}\n${failure.traceback}",
        error)
    }
    if (FragmentTask.firstReport(program, failure.reason)) {
      logWarning(
        s"Broadhead's engine failed, Spark's own operators run instead (partition " +
          s"${partition.index}): ${failure.reason}\n${failure.traceback}")
    }
  }

  private def replay(skip: Long): Iterator[ColumnarBatch] = {
    replaying = true
    program.addToMetric("replays", 1)
    val allocator = ArrowLayout.newAllocator(s"replay ${context.taskAttemptId()}")
    val remaining = Iterators.drop(inputs.replay(), skip)
    val batches = new RowBatches(remaining, program.output, RowBatches.ReplayRows, allocator)
    context.addTaskCompletionListener[Unit] { _ =>
      batches.close()
      ArrowLayout.close(allocator)
    }
    batches.map { root =>
      program.addToMetric("rows", root.getRowCount.toLong)
      program.addToMetric("batches", 1)
      ArrowLayout.batch(root)
    }
  }

  /** Rows that have gone downstream cannot be taken back: only an error can follow. */
  private def sparksErrorOr(failure: FragmentFailure, error: Throwable): Throwable = {
    replaying = true
    program.addToMetric("replays", 1)
    inputs.replay().foreach(_ => ())
    new SparkException(
      "Broadhead's engine stopped after it had given rows " +
        s"(${failure.reason}); a further attempt of this task runs in Spark alone. If there is " +
        "none, set spark.task.maxFailures above 1, or spark.broadhead.enabled=false",
      error)
  }
}

private object FragmentTask {
  private val MaxReports = 1000
  private val reported = ConcurrentHashMap.newKeySet[(Int, String)]()

  /** Whether this executor has not yet told of the reason for the fragment. */
  def firstReport(program: FragmentProgram, reason: String): Boolean =
    reported.size < MaxReports &&
      reported.add((java.util.Arrays.hashCode(program.command), reason))
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
