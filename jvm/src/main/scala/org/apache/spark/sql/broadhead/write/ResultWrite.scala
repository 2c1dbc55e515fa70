package org.apache.spark.sql.broadhead.write

import java.io.OutputStream

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.execution.{FilePart, FragmentInputs, FragmentPartition, FragmentProgram, FragmentRecovery, WorkerRun}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.StructType

/** A job that writes the rows of a task to files, which a worker encodes. */
private[broadhead] abstract class ResultWrite extends Serializable {

  /** The write above the fragment's root. */
  protected def encoded: EncodedWrite

  /** The columns whose values in the first row of a file are sent. */
  protected def first: Seq[Attribute] = Nil

  /** The buffers of the statistics of a file; empty if it has none. */
  protected def statistics: StructType

  /**
   * The rows of the task that stand for the worker's files: the job's function writes a file when
   * it gets its row. If this fails, the task's rows are those of Spark's own operators.
   *
   * @param replay the rows of Spark's own operators, if the function fails to write a file
   * @param afterFailure throws the error if the task cannot replay
   */
  protected def fileRows(worker: WorkerRun[FilePart], replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Iterator[InternalRow]

  /** The rows for the job's function in a task. */
  def rows(
      fragment: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      task: TaskContext): Iterator[InternalRow] = {
    val program = encoded.program(fragment)
    val recovery = new FragmentRecovery(program, partition, task)
    def replayed() = inputs.replay.get.apply()
    recovery.whole(WorkerRun.tableFiles(program, partition, inputs, task, first, statistics)) {
      worker =>
        if (worker.outputs.hasNext)
          fileRows(worker, () => replayed())(error =>
            recovery.afterFailure(error, Some(worker), delivered = false))
        else Iterator.empty
    } {
      replayed()
    }
  }
}

/**
 * A job of Delta Lake's writer. Its own function runs in the task, and opens the file with a writer
 * that takes the bytes of the worker ([[ResultFile]]).
 *
 * @param job the object that the job's function has captured: Spark serializes both together, so
 *   in a task it is the same object again, and the task's own
 */
private[broadhead] class DeltaResultWrite(
    job: WriteJobDescription,
    protected val encoded: EncodedWrite,
    protected val statistics: StructType)
    extends ResultWrite {

  protected override def fileRows(
      worker: WorkerRun[FilePart],
      replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Iterator[InternalRow] = {
    val file = new ResultFile(worker, statistics, replay)(afterFailure)
    DeltaJob.attach(job, file)
    Iterator.single(InternalRow.empty)
  }
}

/** The description of a job, in a task of it. */
private[write] object DeltaJob {

  /** Makes the job's function open and count its files with these. */
  def attach(job: WriteJobDescription, files: ResultFiles): Unit = {
    val schema = DataTypeUtils.fromAttributes(job.dataColumns)
    replace(
      job,
      "outputWriterFactory",
      new ResultFileFactory(job.outputWriterFactory, schema, files))
    replace(job, "statsTrackers", job.statsTrackers.map(new ResultStatsTracker(_, files)))
  }

  private def replace(job: WriteJobDescription, member: String, value: AnyRef): Unit = {
    val field = classOf[WriteJobDescription].getDeclaredField(member)
    field.setAccessible(true)
    field.set(job, value)
  }
}

/** The files of a task, for the job's function. */
private[write] trait ResultFiles {

  /** What counts the files. */
  def add(tracker: WriteTaskStatsTracker): Unit

  /** The partition of the files that are opened next. */
  def begin(partition: InternalRow): Unit

  /** Writes the worker's file, or that of Spark's writer if the worker fails. */
  def write(name: String, context: TaskAttemptContext, spark: () => OutputWriter): Unit
}

private[write] object ResultFiles {

  /** Tells the trackers of a file what it has. */
  def count(
      trackers: Iterable[WriteTaskStatsTracker],
      path: String,
      rows: Long,
      buffers: Option[InternalRow],
      statistics: StructType): Unit = trackers.foreach { tracker =>
    if (DeltaStatistics.isCountedBy(tracker)) {
      DeltaStatistics.set(tracker, path, buffers.get, statistics)
    } else {
      var left = rows
      while (left > 0) {
        tracker.newRow(path, InternalRow.empty)
        left -= 1
      }
    }
  }
}

/**
 * The file of a task.
 *
 * @param replay the rows of Spark's own operators
 * @param afterFailure throws the error if the task cannot replay
 */
private class ResultFile(
    worker: WorkerRun[FilePart],
    statistics: StructType,
    replay: () => Iterator[InternalRow])(afterFailure: Throwable => Unit)
    extends ResultFiles {
  private val trackers = ArrayBuffer.empty[WriteTaskStatsTracker]
  private var rows = 0L
  private var buffers: Option[InternalRow] = None

  override def add(tracker: WriteTaskStatsTracker): Unit = trackers += tracker

  override def begin(partition: InternalRow): Unit = ()

  override def write(
      name: String,
      context: TaskAttemptContext,
      spark: () => OutputWriter): Unit = {
    val path = new Path(name)
    val files = path.getFileSystem(context.getConfiguration)
    val written =
      try {
        val out = files.create(path, false)
        try copyTo(out)
        finally out.close()
        true
      } catch {
        case error: Throwable =>
          afterFailure(error)
          false
      }
    if (written) ResultFiles.count(trackers, name, rows, buffers, statistics)
    else {
      files.delete(path, false)
      rewrite(name, spark())
    }
  }

  /** Copies the bytes of the file, up to the end of the worker's output. */
  private def copyTo(out: OutputStream): Unit = worker.outputs.foreach {
    case FilePart.Begin(_) => ()
    case FilePart.Data(bytes, offset) => out.write(bytes, offset, bytes.length - offset)
    case FilePart.Statistics(values) => buffers = Some(values)
    case FilePart.End(count) => rows = count
  }

  private def rewrite(path: String, writer: OutputWriter): Unit =
    try {
      replay().foreach { row =>
        writer.write(row)
        trackers.foreach(_.newRow(path, row))
      }
    } finally writer.close()
}

/** Opens the files of a task. */
private class ResultFileFactory(
    spark: OutputWriterFactory,
    schema: StructType,
    files: ResultFiles)
    extends OutputWriterFactory {
  override def getFileExtension(context: TaskAttemptContext): String =
    spark.getFileExtension(context)

  override def newInstance(
      filePath: String,
      dataSchema: StructType,
      context: TaskAttemptContext): OutputWriter = new OutputWriter {
    override def path(): String = filePath

    override def write(row: InternalRow): Unit =
      files.write(filePath, context, () => spark.newInstance(filePath, schema, context))

    override def close(): Unit = ()
  }
}

/** Statistics that the files themselves count. */
private class ResultStatsTracker(spark: WriteJobStatsTracker, files: ResultFiles)
    extends WriteJobStatsTracker {
  override def newTaskInstance(): WriteTaskStatsTracker = {
    val task = spark.newTaskInstance()
    files.add(task)
    new WriteTaskStatsTracker {
      override def newPartition(partitionValues: InternalRow): Unit = {
        files.begin(partitionValues)
        task.newPartition(partitionValues)
      }

      override def newFile(filePath: String): Unit = task.newFile(filePath)

      override def closeFile(filePath: String): Unit = task.closeFile(filePath)

      override def newRow(filePath: String, row: InternalRow): Unit = ()

      override def getFinalStats(taskCommitTime: Long): WriteTaskStats =
        task.getFinalStats(taskCommitTime)
    }
  }

  override def processStats(stats: Seq[WriteTaskStats], jobCommitTime: Long): Unit =
    spark.processStats(stats, jobCommitTime)
}

/** Rows of the given columns, for the rules of a write; never run. */
private case class WrittenRows(output: Seq[Attribute]) extends LeafExecNode {
  protected override def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("these rows only describe a write")
}
