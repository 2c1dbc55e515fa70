package org.apache.spark.sql.broadhead.write

import java.io.{BufferedOutputStream, File, FileInputStream, FileOutputStream, InputStream, OutputStream}

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.network.util.LimitedInputStream
import org.apache.spark.sql.broadhead.execution.{FilePart, WorkerRun}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, GenericInternalRow, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{OutputWriter, WriteJobDescription, WriteTaskStatsTracker}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A job of Delta Lake's writer into partitions.
 *
 * Delta sorts the rows that it gets, so it takes all of them before it opens the first file. The
 * worker's files wait in a local file until then. The rows that stand for them have the values of
 * their partitions, by which Delta opens them.
 */
private[write] class PartitionedDeltaWrite(
    job: WriteJobDescription,
    protected val encoded: EncodedWrite,
    buffers: StructType)
    extends ResultWrite {

  protected override def first: Seq[Attribute] =
    job.partitionColumns.map(_.withNullability(true))

  private def partitions: StructType = DataTypeUtils.fromAttributes(first)

  /** The partition of each row of statistics, and their buffers. */
  protected override def statistics: StructType =
    if (buffers.isEmpty) buffers else StructType(partitions ++ buffers)

  protected override def fileRows(
      worker: WorkerRun[FilePart],
      replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Iterator[InternalRow] = {
    val files = new WaitingFiles(partitions, buffers)
    files.take(worker.outputs)
    DeltaJob.attach(job, files)
    rowsOf(files.partitionsInOrder)
  }

  /** Rows with the values of partitions; the other columns have any values. */
  private def rowsOf(found: Seq[Seq[Any]]): Iterator[InternalRow] = {
    val columns = job.allColumns
    val project = UnsafeProjection.create(columns.map(_.dataType).toArray)
    val positions =
      job.partitionColumns.map(column => columns.indexWhere(_.exprId == column.exprId))
    val others = columns.map(column => Literal.default(column.dataType).value)
    found.iterator.map { values =>
      val row = new GenericInternalRow(others.toArray)
      positions.zip(values).foreach { case (position, value) => row(position) = value }
      project(row)
    }
  }
}

/**
 * The files of a task that wait to be opened, one for each partition.
 *
 * @param buffers the buffers of the statistics of a file
 */
private class WaitingFiles(partitions: StructType, buffers: StructType) extends ResultFiles {
  private case class Waiting(start: Long, length: Long, rows: Long)

  private val (_, local) = SparkEnv.get.blockManager.diskBlockManager.createTempLocalBlock()
  private val files = mutable.LinkedHashMap.empty[Seq[Any], Waiting]
  private val statistics = mutable.Map.empty[Seq[Any], InternalRow]
  private val trackers = mutable.ArrayBuffer.empty[WriteTaskStatsTracker]
  private var current: Seq[Any] = Nil
  Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => remove(local)))

  private def remove(file: File): Unit = if (!file.delete()) file.deleteOnExit()

  /** The partition that a row begins with; Spark uses rows of partitions again. */
  private def valuesOf(row: InternalRow): Seq[Any] = {
    val kept = row.copy()
    partitions.indices.map(n => valueOf(kept, n, partitions(n).dataType))
  }

  private def valueOf(row: InternalRow, ordinal: Int, dataType: DataType): Any =
    if (row.isNullAt(ordinal)) null else row.get(ordinal, dataType)

  /** Takes all files of a worker. */
  def take(parts: Iterator[FilePart]): Unit = {
    val out = new BufferedOutputStream(new FileOutputStream(local))
    var position, start = 0L
    var partition: Seq[Any] = Nil
    try {
      parts.foreach {
        case FilePart.Begin(values) =>
          partition = valuesOf(values)
          start = position
        case FilePart.Data(bytes, offset) =>
          out.write(bytes, offset, bytes.length - offset)
          position += bytes.length - offset
        case FilePart.End(rows) => files(partition) = Waiting(start, position - start, rows)
        case FilePart.Statistics(values) => statistics(valuesOf(values)) = buffersOf(values)
      }
    } finally out.close()
  }

  /** What follows the partition in a row of statistics. */
  private def buffersOf(row: InternalRow): InternalRow = new GenericInternalRow(
    buffers.indices
      .map(n => valueOf(row, partitions.length + n, buffers(n).dataType))
      .toArray[Any])

  /** The partitions that have files, in the order of the files. */
  def partitionsInOrder: Seq[Seq[Any]] = files.keys.toSeq

  override def add(tracker: WriteTaskStatsTracker): Unit = trackers += tracker

  override def begin(partition: InternalRow): Unit = current = valuesOf(partition)

  override def write(
      name: String,
      context: TaskAttemptContext,
      spark: () => OutputWriter): Unit = {
    val file = files(current)
    val path = new Path(name)
    val out = path.getFileSystem(context.getConfiguration).create(path, false)
    try copy(file, out)
    finally out.close()
    ResultFiles.count(trackers, name, file.rows, statistics.get(current), buffers)
  }

  private def copy(file: Waiting, out: OutputStream): Unit = {
    val in = new FileInputStream(local)
    try {
      in.getChannel.position(file.start)
      val content: InputStream = new LimitedInputStream(in, file.length, false)
      content.transferTo(out)
    } finally in.close()
  }
}
