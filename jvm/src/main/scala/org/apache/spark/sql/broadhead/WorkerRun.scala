package org.apache.spark.sql.broadhead

import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.sql.vectorized.ColumnarBatch

/** One run of a fragment in a worker: frames go in, batches come out. */
private[broadhead] class WorkerRun(
    program: FragmentProgram,
    partition: FragmentPartition,
    inputs: FragmentInputs,
    context: TaskContext) {

  // Listeners run last in, first out, so each thing is closed after what was built on it.
  private val allocator = ArrowLayout.newAllocator(s"task ${context.taskAttemptId()}")
  atEnd(ArrowLayout.close(allocator))

  private val files = new TaskFiles(context)
  atEnd(files.delete())

  private val input = new WorkerInput(
    program.sources,
    inputs.sources,
    TaskHeader.encode(program, partition, context.attemptNumber(), files),
    allocator)
  atEnd(input.close())

  private val output = new WorkerOutput(program, allocator, context)
  atEnd(output.close())

  output.read(program.workers.runner(program.command).compute(input, partition.index, context))
  private var finished = false
  KillWatch.add(files, context)

  // The runner's own listener drops a worker whose stream has not ended: this one ends it before.
  atEnd(finish())

  def batches: Iterator[ColumnarBatch] = output

  /** Whether any frame has come: the worker has started and could import the engine. */
  def answered: Boolean = output.answered

  /** What a row source threw: an error of what is below the fragment, not of the worker. */
  def sourceFailure: Option[Throwable] = input.failure

  /** Ends the worker's stream early, where it has not ended. */
  def finish(): Unit = if (!finished) {
    finished = true
    KillWatch.remove(files)
    if (!output.ended) {
      files.requestStop()
      input.end()
      if (!context.isInterrupted()) drain()
    }
  }

  /** A thread of its own, since reading from a worker that does not answer cannot time out. */
  private def drain(): Unit = {
    val thread = new Thread(
      () => {
        TaskContext.setTaskContext(context)
        try output.drain()
        catch { case NonFatal(_) | _: InterruptedException => () }
        finally TaskContext.unset()
      },
      s"broadhead drain ${context.taskAttemptId()}")
    thread.setDaemon(true)
    thread.start()
    thread.join(WorkerRun.DrainMillis)
  }

  private def atEnd(close: => Unit): Unit = context.addTaskCompletionListener[Unit](_ => close)
}

private object WorkerRun {

  /** A batch of the engine takes less; a worker that takes longer is better replaced. */
  private val DrainMillis = 3000L
}
