package org.apache.spark.sql.broadhead.write

import java.io.OutputStream

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.execution.{FragmentInputs, FragmentPartition, FragmentProgram, WorkerRun}
import org.apache.spark.sql.broadhead.replay.FragmentRecovery
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/** A job that writes the rows of a task to one file, which a worker encodes. */
private[broadhead] abstract class ResultWrite extends Serializable {

  /** The fragment with the write above its root. */
  protected def command: Array[Byte]

  protected def metrics: Map[String, SQLMetric]

  /** The buffers of the statistics of a file; empty if it has none. */
  protected def statistics: StructType

  /** What stands for the file in the rows of the task. */
  protected def fileRow: InternalRow

  /**
   * Makes the job's function write the worker's file when it gets the row.
   *
   * @param replay the rows of Spark's own operators
   * @param afterFailure throws the error if the task cannot replay
   */
  protected def attach(worker: WorkerRun[FilePart], replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Unit

  /** The rows for the job's function in a task. */
  def rows(
      fragment: FragmentProgram,
      partition: FragmentPartition,
      inputs: FragmentInputs,
      task: TaskContext): Iterator[InternalRow] = {
    val program = fragment.copy(command = command, metrics = metrics)
    val recovery = new FragmentRecovery(program, partition.index, task)
    def replayed() = {
      program.addToMetric("replays", 1)
      inputs.replay.get.apply()
    }
    recovery.whole(WorkerRun.tableFiles(program, partition, inputs, task, Nil, statistics)) {
      worker =>
        if (worker.outputs.hasNext) {
          attach(worker, () => replayed())(error =>
            recovery.afterFailure(error, Some(worker), delivered = false))
          Iterator.single(fileRow)
        } else {
          Iterator.empty
        }
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
    protected val command: Array[Byte],
    protected val metrics: Map[String, SQLMetric],
    protected val statistics: StructType)
    extends ResultWrite {

  protected override def fileRow: InternalRow = InternalRow.empty

  protected override def attach(worker: WorkerRun[FilePart], replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Unit = {
    val file = new ResultFile(worker, statistics, replay)(afterFailure)
    val schema = DataTypeUtils.fromAttributes(job.dataColumns)
    replace("outputWriterFactory", new ResultFileFactory(job.outputWriterFactory, schema, file))
    replace("statsTrackers", job.statsTrackers.map(new ResultStatsTracker(_, file)))
  }

  private def replace(member: String, value: AnyRef): Unit = {
    val field = classOf[WriteJobDescription].getDeclaredField(member)
    field.setAccessible(true)
    field.set(job, value)
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
    replay: () => Iterator[InternalRow])(afterFailure: Throwable => Unit) {
  private val trackers = ArrayBuffer.empty[WriteTaskStatsTracker]
  private var rows = 0L
  private var buffers: Option[InternalRow] = None

  /** What counts the file. */
  def add(tracker: WriteTaskStatsTracker): Unit = trackers += tracker

  /** Writes the worker's file, or that of Spark's writer if the worker fails. */
  def write(name: String, context: TaskAttemptContext, spark: () => OutputWriter): Unit = {
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
    if (written) count(name)
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

  private def count(path: String): Unit = trackers.foreach { tracker =>
    if (DeltaStatistics.isCountedBy(tracker)) {
      DeltaStatistics.set(tracker, path, buffers.get, statistics)
    } else {
      (0L until rows).foreach(_ => tracker.newRow(path, InternalRow.empty))
    }
  }

  private def rewrite(path: String, writer: OutputWriter): Unit =
    try {
      replay().foreach { row =>
        writer.write(row)
        trackers.foreach(_.newRow(path, row))
      }
    } finally writer.close()
}

/** Opens the file of a task. */
private class ResultFileFactory(spark: OutputWriterFactory, schema: StructType, file: ResultFile)
    extends OutputWriterFactory {
  override def getFileExtension(context: TaskAttemptContext): String =
    spark.getFileExtension(context)

  override def newInstance(
      filePath: String,
      dataSchema: StructType,
      context: TaskAttemptContext): OutputWriter = new OutputWriter {
    override def path(): String = filePath

    override def write(row: InternalRow): Unit =
      file.write(filePath, context, () => spark.newInstance(filePath, schema, context))

    override def close(): Unit = ()
  }
}

/** Statistics that the file itself counts. */
private class ResultStatsTracker(spark: WriteJobStatsTracker, file: ResultFile)
    extends WriteJobStatsTracker {
  override def newTaskInstance(): WriteTaskStatsTracker = {
    val task = spark.newTaskInstance()
    file.add(task)
    new WriteTaskStatsTracker {
      override def newPartition(partitionValues: InternalRow): Unit =
        task.newPartition(partitionValues)

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
