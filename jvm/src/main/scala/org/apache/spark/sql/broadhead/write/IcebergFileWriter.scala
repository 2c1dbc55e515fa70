package org.apache.spark.sql.broadhead.write

import org.apache.spark.sql.broadhead.execution.WorkerRun
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, Write, WriterCommitMessage}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{LongType, StructField, StructType}

/**
 * A job that writes the rows of a fragment into a table of Iceberg.
 *
 * @param factory the object that the job's function has captured: Spark serializes both together,
 *   so in a task it is the same object again, and the task's own
 * @param floating the ids of the columns whose NaN are counted, in the order of the statistics
 */
private[write] class IcebergResultWrite(
    factory: EngineWriterFactory,
    protected val command: Array[Byte],
    protected val metrics: Map[String, SQLMetric],
    floating: Seq[Int])
    extends ResultWrite {

  protected override def statistics: StructType =
    StructType(floating.map(id => StructField(s"nans$id", LongType, nullable = false)))

  protected override def fileRow: InternalRow = InternalRow.empty

  protected override def attach(worker: WorkerRun[FilePart], replay: () => Iterator[InternalRow])(
      afterFailure: Throwable => Unit): Unit =
    factory.attach(new IcebergFile(worker, floating, replay)(afterFailure))
}

/**
 * The file of a task.
 *
 * @param replay the rows of Spark's own operators
 * @param afterFailure throws the error if the task cannot replay
 */
private[write] class IcebergFile(
    val worker: WorkerRun[FilePart],
    val floating: Seq[Int],
    val replay: () => Iterator[InternalRow])(val afterFailure: Throwable => Unit)

/**
 * Makes the writers of tasks: Iceberg's own, or one that takes the file of a worker.
 *
 * @param write what Iceberg's factory was made by, on the driver
 */
private[write] class EngineWriterFactory(iceberg: DataWriterFactory, @transient val write: Write)
    extends DataWriterFactory {
  @transient private var file: Option[IcebergFile] = None

  /** In a task: the writer that it makes next takes this file. */
  def attach(found: IcebergFile): Unit = file = Some(found)

  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] =
    Option(file).flatten match {
      case Some(found) => new IcebergFileWriter(iceberg, found, partition, task)
      case None => iceberg.createWriter(partition, task)
    }
}

/** Writes the worker's file when it gets the row that stands for it. */
private class IcebergFileWriter(
    iceberg: DataWriterFactory,
    file: IcebergFile,
    partition: Int,
    task: Long)
    extends DataWriter[InternalRow] {
  private val library = IcebergWriteLibrary.of(iceberg).get
  private var made: Option[AnyRef] = None
  private var nans: Option[InternalRow] = None

  /** Iceberg's own writer, if the worker fails. */
  private var spark: Option[DataWriter[InternalRow]] = None

  override def write(row: InternalRow): Unit =
    try copy()
    catch {
      case error: Throwable =>
        file.afterFailure(error)
        delete()
        val writer = iceberg.createWriter(partition, task)
        spark = Some(writer)
        file.replay().foreach(writer.write(_))
    }

  private def copy(): Unit = {
    val target = library.newFile(iceberg, partition, task)
    made = Some(target)
    val out = library.open(target)
    try {
      file.worker.outputs.foreach {
        case FilePart.Data(bytes, offset) => out.write(bytes, offset, bytes.length - offset)
        case FilePart.Statistics(values) => nans = Some(values)
        case _: FilePart.Begin | _: FilePart.End => ()
      }
    } finally out.close()
  }

  override def commit(): WriterCommitMessage = spark match {
    case Some(writer) => writer.commit()
    case None =>
      val counts = file.floating.zipWithIndex.map { case (id, n) => id -> nans.get.getLong(n) }
      library.commitOf(iceberg, made.get, counts.toMap)
  }

  override def abort(): Unit = {
    delete()
    spark.foreach(_.abort())
  }

  private def delete(): Unit = {
    made.foreach(library.delete(iceberg, _))
    made = None
  }

  override def close(): Unit = spark.foreach(_.close())
}
