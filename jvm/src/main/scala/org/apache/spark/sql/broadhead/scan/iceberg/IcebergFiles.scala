package org.apache.spark.sql.broadhead.scan.iceberg

import scala.util.{Failure, Success}
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, Reasons}
import org.apache.spark.sql.broadhead.scan.{FileAccess, HadoopFiles, SplitFields}
import org.apache.spark.sql.broadhead.scan.batch.BatchScanFiles
import org.apache.spark.sql.broadhead.scan.parquet.ParquetScanFormat
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.connector.catalog.CatalogV2Util
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** The Parquet files of an Iceberg table: columns by field id, without deleted rows. */
private[iceberg] class IcebergFiles(scan: BatchScanExec, library: IcebergLibrary)
    extends BatchScanFiles {
  private lazy val table = library.tableOf(scan.scan)
  private lazy val columns = new IcebergColumns(scan.output, library.columnsOf(scan.scan))
  private lazy val tasks = scan.inputPartitions.flatMap(library.tasksOf)

  override def format: String = ParquetScanFormat.name

  override def counts: Seq[(String, String)] = ParquetScanFormat.counts

  override def dataColumns: Seq[Attribute] = scan.output

  override def options(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = columns.options :+
    "nameMapping" -> library.nameMappingOf(table).map(Json.parse).getOrElse(Json.Null)

  override def filters: Seq[Expression] = knownFilters.flatten

  override def skipsRows: Boolean = true

  override def hasOtherFilters: Boolean = knownFilters.exists(_.isEmpty)

  private lazy val knownFilters: Seq[Option[Expression]] = {
    val known = new IcebergFilters(library, scan.output)
    library.filtersOf(scan.scan).map(known.of)
  }

  override def reasons: Seq[String] =
    try knownReasons
    catch { case NonFatal(error) => Seq(IcebergFiles.unsupported(error)) }

  private def knownReasons: Seq[String] = {
    val kind = scan.scan.getClass.getSimpleName
    if (!IcebergFiles.scans(kind)) Seq(s"Iceberg makes the rows of a $kind itself")
    else if (!tasks.forall(library.readsDataFile)) {
      Seq("Iceberg makes the rows of a table of metadata itself")
    } else columns.reasons ++ tableReasons ++ fileReasons
  }

  /** Where files lack a column with a default, Iceberg's filters take its values for nulls. */
  private def tableReasons: Seq[String] =
    Reasons.when(library.isEncrypted(table))("encrypted tables are read by Iceberg") ++
      Reasons.when(columns.haveDefaults && library.filtersOf(scan.scan).nonEmpty)(
        "columns with default values are filtered by Iceberg")

  private def fileReasons: Seq[String] = {
    val formats = tasks.map(library.formatOf).distinct.sorted
    formats.filter(_ != "PARQUET").map(other => s"data files of $other are read by Iceberg") ++
      Reasons.when(hadoopConf.isEmpty && !tasks.forall(isReachable))(
        s"files of ${library.ioOf(table).getClass.getSimpleName} are read by Iceberg")
  }

  private def hadoopConf: Option[Configuration] = library.hadoopConf(library.ioOf(table))

  /** A file system that is not Hadoop's is asked for files by URIs that are none of local paths. */
  private def isReachable(task: AnyRef): Boolean = {
    val location = library.describe(task).location
    val path = new Path(location)
    val scheme = path.toUri.getScheme
    scheme != null && scheme != "file" && path.toString == location
  }

  override def splits(partition: InputPartition): Seq[PartitionedFile] =
    library.tasksOf(partition).map { task =>
      val described = library.describe(task)
      PartitionedFile(
        InternalRow.empty,
        SparkPath.fromPath(new Path(described.location)),
        described.start,
        described.length,
        partition.preferredLocations,
        modificationTime = 0L, // files of Iceberg never change
        described.fileLength,
        Map(IcebergSplitFields.TaskKey -> task, IcebergSplitFields.PartitionKey -> partition))
    }

  override def splitFields: SplitFields = columns.splitFields

  override def fileAccess: FileAccess = hadoopConf match {
    case Some(conf) => HadoopFiles.of(conf, scan.session.sparkContext)
    case None => new IcebergFileAccess(scan.inputPartitions.head)
  }

  override def bytes: Long = {
    val all = CatalogV2Util.v2ColumnsToStructType(scan.table.columns).defaultSize
    val share = scan.scan.readSchema().defaultSize.toDouble / math.max(1, all)
    (tasks.map(library.lengthOf).sum * math.min(1.0, share)).toLong
  }
}

private[broadhead] object IcebergFiles {
  private val Package = "org.apache.iceberg.spark.source."

  /** The scans whose rows are those of data files. */
  private val scans =
    Set("SparkBatchQueryScan", "SparkCopyOnWriteScan", "SparkIncrementalAppendScan")

  private def unsupported(error: Throwable): String =
    s"this version of Iceberg is not supported: $error"

  /** The files of a scan, if Iceberg made it. */
  def of(scan: BatchScanExec): Option[Either[String, BatchScanFiles]] =
    Optional.when(scan.scan.getClass.getName.startsWith(Package)) {
      IcebergLibrary.of(scan.scan) match {
        case Success(library) => Right(new IcebergFiles(scan, library))
        case Failure(error) => Left(unsupported(error))
      }
    }
}
