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

  private val allocator = ArrowLayout.newAllocator(s"task ${context.taskAttemptId()}")
  private val files = new TaskFiles(context)
  private val input = new WorkerInput(program.sources, inputs.sources,
    TaskHeader.encode(program, partition, context.attemptNumber(), files), allocator)
  private var finished = false

  // Listeners run last in, first out: this one after the runner has let go of the worker.
  context.addTaskCompletionListener[Unit](_ => release())

  private val frames: Iterator[Array[Byte]] =
    program.workers.runner(program.command).compute(input, partition.index, context)
  private val output = new WorkerOutput(program, frames, allocator, context)

  // And this one before it, so that the worker has ended its stream and can be used again.
  context.addTaskCompletionListener[Unit](_ => finish())
  KillWatch.add(files, context)

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
    val thread = new Thread(() => {
      TaskContext.setTaskContext(context)
      try output.drain()
      catch { case NonFatal(_) | _: InterruptedException => () }
      finally TaskContext.unset()
    }, s"broadhead drain ${context.taskAttemptId()}")
    thread.setDaemon(true)
    thread.start()
    thread.join(WorkerRun.DrainMillis)
  }

  private def release(): Unit = {
    KillWatch.remove(files)
    output.close()
    input.close()
    ArrowLayout.close(allocator)
    files.delete()
  }
}

private object WorkerRun {

  /** A batch of the engine takes less; a worker that takes longer is better replaced. */
  private val DrainMillis = 3000L
}
