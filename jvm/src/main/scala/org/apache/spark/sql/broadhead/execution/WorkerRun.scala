package org.apache.spark.sql.broadhead.execution

import scala.util.control.NonFatal

import org.apache.arrow.memory.BufferAllocator

import org.apache.spark.sql.broadhead.arrow.ArrowLayout
import org.apache.spark.sql.broadhead.gpu.{DeviceProcess, ExecutorGpus, GpuAdmission, GpuPermits, HostFunctions, KeptBlocks}
import org.apache.spark.sql.broadhead.memory.EngineMemory
import org.apache.spark.sql.broadhead.replay.{DamagedBlock, ReplayingTasks}
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.TaskContext

/**
 * One run of a fragment in a worker: frames go in, outputs come out.
 *
 * @param shuffleFile the task's shuffle file
 * @param keptAs its path once it is committed, by which the device process can keep its rows
 * @param decoder decodes the outputs in the worker's frames
 */
private[broadhead] class WorkerRun[T](
    program: FragmentProgram,
    partition: FragmentPartition,
    inputs: FragmentInputs,
    context: TaskContext,
    shuffleFile: Option[String],
    keptAs: Option[String],
    decoder: BufferAllocator => TaskOutputDecoder[T]) {

  // Listeners run in reverse order, so each object is closed after those that use it.
  private val allocator = ArrowLayout.newAllocator(s"task ${context.taskAttemptId()}")
  atEnd(ArrowLayout.close(allocator))

  private val files = new TaskFiles(context)
  atEnd(files.delete())

  private val replaying = ReplayingTasks.contain(context)
  private val ownGpu = ExecutorGpus.of(context)
  private val gpuUse = program.gpu.filterNot(HostFunctions.contain)
  // Before the sources, which say what this process, and not one before it, keeps.
  private val process = gpuUse
    .filterNot(_ => replaying)
    .filter(_ => !program.callsFunctions)
    .flatMap(_ => DeviceProcess.get)

  private val sources = TaskSources.open(program, partition, inputs, context)

  private val sockets = new TaskSockets(program, partition, context)
  atEnd(sockets.close())

  if (process.isEmpty) {
    sources.foreach {
      case blocks: ShuffleBlocksOfTask => blocks.needFiles()
      case _ =>
    }
  }
  private val gpuPermits =
    gpuUse.filterNot(_ => replaying).flatMap(_ => GpuPermits.directory(ownGpu))
  private val cpuOnly =
    replaying || DeviceProcess.isGivenUp || (program.gpu.isDefined && process.isEmpty && gpuPermits.isEmpty)
  private val gpuMinBytes =
    gpuUse
      .filterNot(_ => cpuOnly)
      .map(use => if (process.isDefined) use.minBytes else use.least(ownGpu))
  private def bytes: Long =
    partition.files.values.flatten.map(_.length).sum + sources.map(_.bytes).sum
  private val gpu = gpuUse.filter(use => gpuMinBytes.exists(use.takes(bytes, _)))

  private val input = new WorkerInput(
    sources,
    TaskHeader.encode(
      program,
      partition,
      sources,
      sockets,
      context.attemptNumber(),
      shuffleFile,
      files,
      Optional.when(process.isEmpty)(EngineMemory.ofTask),
      cpuOnly,
      gpuMinBytes,
      gpu.exists(_.functions.isDefined),
      gpuPermits.filter(_ => process.isEmpty).map(_.toString),
      keptAs.filter(_ => process.isDefined),
      if (process.isDefined) KeptBlocks.takeDropped() else Nil),
    allocator)
  atEnd(input.close())

  private val output = new WorkerOutput[T](program, sources, decoder(allocator), context)
  atEnd(output.close())

  output.read(process match {
    case Some(device) => device.run(program.fragment, input, context)
    case None =>
      program.addToMetric("memoryTime", EngineMemory.enter(context))
      gpu.foreach { use =>
        program.addToMetric("slotTime", GpuAdmission.enter(use, ownGpu, context))
        DeviceProcess.makeRoom()
      }
      program.workers
        .runner(PythonCommand.pickle(program.fragment), ownGpu, onGpu = gpu.isDefined)
        .compute(input, partition.index, context)
  })
  private var finished = false
  KillWatch.add(files, context)

  // The runner's own listener drops a worker whose stream has not ended: this one ends it before.
  atEnd(finish())

  def outputs: Iterator[T] = output

  /** Whether any frame has arrived: the worker has started and could import the engine. */
  def answered: Boolean = output.answered

  /** Whether the worker is in the user's own functions now, or has died there. */
  def inFunctions: Boolean = files.inFunctions

  /** The exception of a row source: an error of the plan below the fragment, not of the worker. */
  def sourceFailure: Option[Throwable] = input.failure

  /** Tells Spark that a shuffle block is lost, if the task has read it. */
  def throwFetchFailure(block: DamagedBlock, cause: Throwable): Unit = {
    finish()
    sources
      .collect { case blocks: ShuffleBlocksOfTask => blocks }
      .foreach(_.throwFetchFailure(block, cause))
  }

  /** Ends the worker's stream early, if it has not ended. */
  def finish(): Unit = if (!finished) {
    finished = true
    KillWatch.remove(files)
    if (!output.ended) {
      files.requestStop()
      input.end()
      if (!context.isInterrupted()) drain()
    }
  }

  /** A separate thread, since reading from a worker that does not respond cannot time out. */
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
    try thread.join(WorkerRun.DrainMillis)
    // Cancelling the task interrupts this thread; that is not an error.
    catch { case _: InterruptedException => Thread.currentThread().interrupt() }
  }

  private def atEnd(close: => Unit): Unit = context.addTaskCompletionListener[Unit](_ => close)
}

private[broadhead] object WorkerRun {

  /** A batch of the engine takes less time; a slower worker is replaced. */
  private val DrainMillis = 3000L

  /** A run that returns batches, each valid until the next one is requested. */
  def batches(
      program: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      context: TaskContext): WorkerRun[ColumnarBatch] =
    new WorkerRun(
      program,
      partition,
      inputs,
      context,
      None,
      None,
      new BatchDecoder(program.output, _))

  /** A run that returns the same batches as Arrow messages. */
  def messages(
      program: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      context: TaskContext): WorkerRun[Array[Byte]] =
    new WorkerRun(program, partition, inputs, context, None, None, _ => MessageDecoder)

  /**
   * A run that returns the files of a table.
   *
   * @param shared the columns whose values all rows of a file share
   * @param statistics the buffers of the statistics of a file
   */
  def tableFiles(
      program: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      context: TaskContext,
      shared: Seq[Attribute],
      statistics: StructType = new StructType()): WorkerRun[FilePart] = {
    val columns = DataTypeUtils.fromAttributes(shared)
    def decoder(allocator: BufferAllocator) = new FilePartDecoder(columns, statistics, allocator)
    new WorkerRun(program, partition, inputs, context, None, None, decoder)
  }

  /** A run that writes the shuffle file of a task and has one output. */
  def shuffle(
      program: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      context: TaskContext,
      file: String,
      keptAs: String): WorkerRun[ShuffleOutput] =
    new WorkerRun(
      program,
      partition,
      inputs,
      context,
      Some(file),
      Some(keptAs),
      _ => ShuffleDecoder)
}
