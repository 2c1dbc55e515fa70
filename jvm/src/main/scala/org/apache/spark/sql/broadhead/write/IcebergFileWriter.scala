package org.apache.spark.sql.broadhead.write

import java.io.OutputStream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.broadhead.execution.{FilePart, WorkerRun}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.ProjectingInternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, GenericInternalRow}
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, Write, WriterCommitMessage}
import org.apache.spark.sql.types.{LongType, StructField, StructType}

/**
 * A job that writes the rows of a fragment into a table of Iceberg.
 *
 * @param factory the object that the job's function has captured: Spark serializes both together,
 *   so in a task it is the same object again, and the task's own
 * @param files what a task has to know of its files
 * @param operation what the first column of the rows has to be for the job's function
 */
private[write] class IcebergResultWrite(
    factory: EngineWriterFactory,
    protected val encoded: EncodedWrite,
    protected override val first: Seq[Attribute],
    files: IcebergFiles,
    operation: Option[Int])
    extends ResultWrite {

  protected override def statistics: StructType = files.statistics

  protected override def fileRows(
      worker: WorkerRun[FilePart],
      replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Iterator[InternalRow] = {
    factory.attach(
      new IcebergTaskFiles(worker, files, () => replay().map(files.written))(afterFailure))
    Iterator.single(
      operation.fold(InternalRow.empty)(kind => new GenericInternalRow(Array[Any](kind))))
  }
}

/**
 * What a task has to know of its files.
 *
 * @param floating the ids of the columns whose NaN are counted, in the order of the statistics
 * @param first the ordinals of the written columns that the first row of a file has, in its order
 * @param projection the written columns of the rows; None if they are all
 */
private[write] case class IcebergFiles(
    floating: Seq[Int],
    first: Seq[Int],
    projection: Option[ProjectingInternalRow]) {

  def statistics: StructType =
    StructType(floating.map(id => StructField(s"nans$id", LongType, nullable = false)))

  /** What is written of a row. */
  def written(row: InternalRow): InternalRow = projection.fold(row) { columns =>
    columns.project(row)
    columns
  }

  /** The written columns of the first row of a file, of which those of partitions are known. */
  def firstRow(values: InternalRow, rows: StructType): InternalRow = {
    val row = new GenericInternalRow(rows.length)
    first.zipWithIndex.foreach { case (ordinal, position) =>
      if (!values.isNullAt(position)) row(ordinal) = values.get(position, rows(ordinal).dataType)
    }
    row
  }
}

/**
 * The files of a task.
 *
 * @param replay what Spark's own operators write
 * @param afterFailure throws the error if the task cannot replay
 */
private[write] class IcebergTaskFiles(
    val worker: WorkerRun[FilePart],
    val files: IcebergFiles,
    val replay: () => Iterator[InternalRow])(val afterFailure: Throwable => Unit)

/**
 * Makes the writers of tasks: Iceberg's own, or one that takes the files of a worker.
 *
 * @param write what Iceberg's factory was made by, on the driver
 */
private[write] class EngineWriterFactory(iceberg: DataWriterFactory, @transient val write: Write)
    extends DataWriterFactory {
  @transient private var files: Option[IcebergTaskFiles] = None

  /** In a task: the writer that it makes next takes these files. */
  def attach(found: IcebergTaskFiles): Unit = files = Some(found)

  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] =
    Option(files).flatten match {
      case Some(found) => new IcebergFileWriter(iceberg, found, partition, task)
      case None => iceberg.createWriter(partition, task)
    }
}

/** Writes the worker's files when it gets the row that stands for them. */
private class IcebergFileWriter(
    iceberg: DataWriterFactory,
    task: IcebergTaskFiles,
    partition: Int,
    taskId: Long)
    extends DataWriter[InternalRow] {
  private val library = IcebergWriteLibrary.of(iceberg).get
  private val folder = library.newFolder(iceberg, partition, taskId)
  private val made = ArrayBuffer.empty[IcebergDataFile]

  /** Iceberg's own writer, if the worker fails. */
  private var spark: Option[DataWriter[InternalRow]] = None

  override def write(row: InternalRow): Unit =
    try copy()
    catch {
      case error: Throwable =>
        task.afterFailure(error)
        delete()
        val writer = iceberg.createWriter(partition, taskId)
        spark = Some(writer)
        task.replay().foreach(writer.write(_))
    }

  private def copy(): Unit = {
    var out: Option[OutputStream] = None
    try {
      task.worker.outputs.foreach {
        case FilePart.Begin(values) => out = Some(begin(values))
        case FilePart.Data(bytes, offset) => out.get.write(bytes, offset, bytes.length - offset)
        case FilePart.Statistics(values) => count(values)
        case FilePart.End(_) =>
          out.get.close()
          out = None
      }
    } finally out.foreach(_.close())
  }

  private def begin(values: InternalRow): OutputStream = {
    val key = library.partitionOf(iceberg, task.files.firstRow(values, _))
    made += IcebergDataFile(library.newFile(folder, iceberg, key), key)
    library.open(made.last.output)
  }

  private def count(values: InternalRow): Unit = {
    val counts = task.files.floating.zipWithIndex.map { case (id, n) => id -> values.getLong(n) }
    made(made.length - 1) = made.last.copy(nans = counts.toMap)
  }

  override def commit(): WriterCommitMessage = spark match {
    case Some(writer) => writer.commit()
    case None => library.commitOf(iceberg, made.toList)
  }

  override def abort(): Unit = {
    delete()
    spark.foreach(_.abort())
  }

  private def delete(): Unit = {
    made.foreach(file => library.delete(iceberg, file.output))
    made.clear()
  }

  override def close(): Unit = spark.foreach(_.close())
}
