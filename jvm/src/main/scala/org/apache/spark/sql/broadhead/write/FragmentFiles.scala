package org.apache.spark.sql.broadhead.write

import java.io.OutputStream
import java.util.Date

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.internal.io.SparkHadoopWriterUtils
import org.apache.spark.sql.broadhead.execution.{FilePart, FragmentPartition, FragmentRecovery, WorkerRun}
import org.apache.spark.sql.broadhead.fragment.{EngineRDD, PreparedFragment}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.{IntegerType, StructType}

/** The tasks of a fragment that writes table files: each writes and commits its own. */
private[broadhead] class FragmentFilesRDD(
    context: SparkContext,
    fragment: PreparedFragment,
    spec: WriteFilesSpec,
    isLines: Boolean)
    extends EngineRDD[WriterCommitMessage](context, fragment) {

  private val (description, committer) = (spec.description, spec.committer)
  private val jobTracker = SparkHadoopWriterUtils.createJobTrackerID(new Date())

  override def compute(split: Partition, task: TaskContext): Iterator[WriterCommitMessage] = {
    val partition = split.asInstanceOf[FragmentPartition]
    val own = inputs(partition, task)
    val recovery = new FragmentRecovery(program, partition, task)
    val committed =
      recovery.whole(
        WorkerRun.tableFiles(program, partition, own, task, FileRow.columns(description)))(
        written(_, task)) {
        Right(write(description, own.replay.get.apply(), task))
      }
    Iterator.single(committed.fold(throw _, identity))
  }

  /**
   * What the task has committed, or why Spark's writers failed: on a full disk they would fail
   * with Spark's operators too, so that is the task's own error.
   */
  private def written(
      worker: WorkerRun[FilePart],
      task: TaskContext): Either[Throwable, WriterCommitMessage] = {
    val files = new WorkerFiles(worker.outputs, isLines)
    try Right(write(files.job(description), files, task))
    catch { case error: Throwable => Left(files.failure.fold(error)(throw _)) }
  }

  /** Spark's own task of a write: it names the files, counts rows, and commits or aborts. */
  private def write(
      job: WriteJobDescription,
      rows: Iterator[InternalRow],
      task: TaskContext): WriterCommitMessage =
    FileFormatWriter.executeTask(
      job,
      jobTracker,
      task.stageId(),
      task.partitionId(),
      task.taskAttemptId().toInt & Int.MaxValue,
      committer,
      rows,
      None)
}

/** The row that stands for a file. */
private[broadhead] object FileRow {

  /** The bucket of the file's rows. */
  val Bucket: Attribute = AttributeReference("bucket", IntegerType, nullable = false)()

  /** The columns whose values all rows of a file share. */
  def columns(job: WriteJobDescription): Seq[Attribute] =
    job.partitionColumns ++ buckets(job)

  /** The column of the bucket, if there are buckets. */
  def buckets(job: WriteJobDescription): Seq[Attribute] = job.bucketSpec.map(_ => Bucket).toSeq
}

/**
 * The files of a worker, as rows for Spark's writers: one row a file ([[FileRow]]).
 *
 * Spark's writers open a file for each row, since a file has at most one. The file's writer takes
 * the bytes of the file from the worker.
 */
private class WorkerFiles(parts: Iterator[FilePart], isLines: Boolean)
    extends Iterator[InternalRow] {
  private var thrown: Option[Throwable] = None
  private var nextFile: Option[FilePart.Begin] = None

  /** Number of rows of the file that was written last. */
  var rows: Long = 0L

  /** The worker's failure: Spark's writers throw another one instead. */
  def failure: Option[Throwable] = thrown

  override def hasNext: Boolean = {
    if (nextFile.isEmpty && watched(parts.hasNext)) nextFile = Some(begin())
    nextFile.isDefined
  }

  private def begin(): FilePart.Begin = watched(parts.next() match {
    case begin: FilePart.Begin => begin
    case other => throw new IllegalStateException(s"a file cannot begin with $other")
  })

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("the worker has no more files")
    val values = nextFile.get.values
    nextFile = None
    values
  }

  /** Writes the current file. */
  def writeTo(path: Path, context: TaskAttemptContext): Unit = {
    val out =
      if (isLines) CodecStreams.createOutputStream(context, path)
      else path.getFileSystem(context.getConfiguration).create(path, false)
    try copyTo(out)
    finally out.close()
  }

  /** Copies the bytes of the current file, up to its end. */
  private def copyTo(out: OutputStream): Unit = {
    var ended = false
    while (!ended) {
      watched(parts.next()) match {
        case FilePart.Data(bytes, offset) => out.write(bytes, offset, bytes.length - offset)
        case FilePart.End(count) =>
          rows = count
          ended = true
        case other =>
          watched(throw new IllegalStateException(s"$other before the end of the file"))
      }
    }
  }

  private def watched[T](read: => T): T =
    try read
    catch {
      case error: Throwable =>
        thrown = Some(error)
        throw error
    }

  /**
   * The job for Spark's writers: a file a row, written by the worker, counted by its rows.
   *
   * For them the rows have the columns that choose a file alone.
   */
  def job(spark: WriteJobDescription): WriteJobDescription =
    new WriteJobDescription(
      spark.uuid,
      spark.serializableHadoopConf,
      new WorkerFileFactory(
        spark.outputWriterFactory,
        DataTypeUtils.fromAttributes(spark.dataColumns),
        this),
      FileRow.columns(spark),
      FileRow.buckets(spark),
      spark.partitionColumns,
      spark.bucketSpec.map(_.copy(bucketIdExpression = FileRow.Bucket)),
      spark.path,
      spark.customPartitionLocations,
      1L,
      spark.timeZoneId,
      spark.statsTrackers.map(new FileStatsTracker(_, this)))
}

/** Opens the files that a worker has encoded. */
private class WorkerFileFactory(
    spark: OutputWriterFactory,
    schema: StructType,
    files: WorkerFiles)
    extends OutputWriterFactory {
  override def getFileExtension(context: TaskAttemptContext): String =
    spark.getFileExtension(context)

  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext): OutputWriter =
    new WorkerFile(path, files, () => spark.newInstance(path, schema, context), context)
}

/**
 * A file that a worker has encoded.
 *
 * @param empty Spark's own writer, for the file of a task without rows
 */
private class WorkerFile(
    override val path: String,
    files: WorkerFiles,
    empty: () => OutputWriter,
    context: TaskAttemptContext)
    extends OutputWriter {
  private var written = false

  override def write(row: InternalRow): Unit = {
    written = true
    files.writeTo(new Path(path), context)
  }

  override def close(): Unit = if (!written) empty().close()
}

/** Spark's statistics of a job, for rows that stand for files. */
private class FileStatsTracker(spark: WriteJobStatsTracker, files: WorkerFiles)
    extends WriteJobStatsTracker {
  override def newTaskInstance(): WriteTaskStatsTracker = {
    val task = spark.newTaskInstance()
    new WriteTaskStatsTracker {
      override def newPartition(partitionValues: InternalRow): Unit =
        task.newPartition(partitionValues)

      override def newFile(filePath: String): Unit = task.newFile(filePath)

      override def closeFile(filePath: String): Unit = task.closeFile(filePath)

      override def newRow(filePath: String, row: InternalRow): Unit = {
        var count = files.rows
        while (count > 0) {
          task.newRow(filePath, row)
          count -= 1
        }
      }

      override def getFinalStats(taskCommitTime: Long): WriteTaskStats =
        task.getFinalStats(taskCommitTime)
    }
  }

  override def processStats(stats: Seq[WriteTaskStats], jobCommitTime: Long): Unit =
    spark.processStats(stats, jobCommitTime)
}
