package org.apache.spark.sql.broadhead.scan.batch

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Reasons}
import org.apache.spark.sql.broadhead.scan._
import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, FilePartition, HadoopFsRelation, PartitionedFile}
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.text.TextFileFormat
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, FileScan}
import org.apache.spark.sql.execution.datasources.v2.csv.CSVScan
import org.apache.spark.sql.execution.datasources.v2.orc.OrcScan
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan
import org.apache.spark.sql.execution.datasources.v2.text.TextScan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The files of Spark's own formats, if they are read by the data source API V2.
 *
 * @param same the scan of the same files by the API V1, which the formats know
 * @param isAggregated whether the rows are values of the files' footers
 */
private[batch] class SourceFiles(
    scan: BatchScanExec,
    source: FileScan,
    same: FileSourceScanExec,
    scanFormat: ScanFormat,
    isAggregated: Boolean)
    extends BatchScanFiles {

  override def reasons: Seq[String] = {
    val columns = StructType(source.readDataSchema ++ source.readPartitionSchema)
    Reasons.when(isAggregated)("aggregates of footers are Spark's") ++
      Reasons.when(!isAggregated && source.readSchema() != columns)(
        "the scan returns other columns than the files have") ++
      FileScanSupport.reasons(same, scanFormat)
  }

  override def format: String = scanFormat.name

  override def counts: Seq[(String, String)] = scanFormat.counts

  override def dataColumns: Seq[Attribute] = scan.output.take(source.readDataSchema.length)

  override def options(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    scanFormat.options(same, encoder)

  override def filters: Seq[Expression] = source.dataFilters

  override def skipsRows: Boolean = scanFormat.skipsRows(scan.conf)

  override def hasOtherFilters: Boolean = false

  override def splits(partition: InputPartition): Seq[PartitionedFile] =
    partition.asInstanceOf[FilePartition].files.toSeq

  override def splitFields: SplitFields =
    ScanConstants(source.readPartitionSchema, new StructType, Map.empty, Nil, None)

  override def fileAccess: FileAccess = HadoopFiles.of(
    scan.session.sessionState.newHadoopConfWithOptions(same.relation.options),
    scan.session.sparkContext)

  override def lineParsing: Option[LineParsing] = scanFormat.lineParsing(same)

  override def bytes: Long = ScannedColumns.bytes(same)
}

private[batch] object SourceFiles {

  /** The files of a scan, if its source is one of Spark's formats that the engine reads. */
  def of(scan: BatchScanExec): Option[BatchScanFiles] = scan.scan match {
    case source: ParquetScan =>
      make(scan, source, new ParquetFileFormat, source.options, source.pushedAggregate.isDefined)
    case source: OrcScan =>
      make(scan, source, new OrcFileFormat, source.options, source.pushedAggregate.isDefined)
    case source: CSVScan => make(scan, source, new CSVFileFormat, source.options)
    case source: TextScan => make(scan, source, new TextFileFormat, source.options)
    case _ => None
  }

  private def make(
      scan: BatchScanExec,
      source: FileScan,
      fileFormat: FileFormat,
      options: CaseInsensitiveStringMap,
      isAggregated: Boolean = false): Option[BatchScanFiles] = {
    val relation = HadoopFsRelation(
      source.fileIndex,
      source.fileIndex.partitionSchema,
      source.dataSchema,
      None,
      fileFormat,
      options.asCaseSensitiveMap.asScala.toMap)(scan.session)
    val same =
      CompiledSpark.scanOf(relation, scan.output, source.readDataSchema, source.dataFilters)
    ScanFormat.of(same).map(new SourceFiles(scan, source, same, _, isAggregated))
  }
}
