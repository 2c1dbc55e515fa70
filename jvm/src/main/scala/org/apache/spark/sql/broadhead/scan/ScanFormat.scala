package org.apache.spark.sql.broadhead.scan

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.scan.csv.CsvScanFormat
import org.apache.spark.sql.broadhead.scan.json.JsonScanFormat
import org.apache.spark.sql.broadhead.scan.orc.OrcScanFormat
import org.apache.spark.sql.broadhead.scan.parquet.ParquetScanFormat
import org.apache.spark.sql.broadhead.scan.text.{LineParsing, TextScanFormat}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** A file format that the engine reads. */
private[broadhead] trait ScanFormat {

  /** Its name in the wire format. */
  def name: String

  /** Spark's class of the format; a subclass may read other rows. */
  def sparkClass: Class[_ <: FileFormat]

  /** Whether Spark's format of a scan is this one. */
  def isFormat(format: FileFormat): Boolean = format.getClass == sparkClass

  /** Why the engine cannot read such files like Spark; none if it can. */
  def reasons(scan: FileSourceScanExec): Seq[String]

  /** What the engine needs to know of the scan's options and of the session's settings. */
  def options(scan: FileSourceScanExec, encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Nil

  /** The scan's data columns as the files have them: their names may differ from the table's. */
  def storedSchema(scan: FileSourceScanExec): StructType = scan.requiredSchema

  /** Spark's format for a scan that only plans splits, if it has one that is faster. */
  def forSplits(format: FileFormat): FileFormat = format

  /** Whether fields of `_metadata` that Spark's reader generates are read. */
  def readsGeneratedMetadata: Boolean = false

  /** The rows of a scan's files that its reader marks as deleted. */
  def deletionVectors(scan: FileSourceScanExec): Option[DeletionVectors] = None

  /** Spark's parser of the lines that the engine leaves to it, for files of lines. */
  def lineParsing(scan: FileSourceScanExec): Option[LineParsing] = None

  /** Names and descriptions of the metrics that only this format has: they count things. */
  def counts: Seq[(String, String)] = Nil

  /** Whether the engine may use the filters of a scan to skip rows, as Spark does. */
  def skipsRows(conf: SQLConf): Boolean = false
}

/** Loads the deleted rows of files, in the tasks that read these. */
private[broadhead] trait DeletionVectors extends Serializable {

  /** The deleted rows of a file as in the wire format, null if all are kept. */
  def encode(file: PartitionedFile): JsonNode
}

private[broadhead] object ScanFormat {
  private val all: Seq[ScanFormat] =
    Seq(ParquetScanFormat, OrcScanFormat, CsvScanFormat, JsonScanFormat, TextScanFormat)

  /** The format of a scan's files, if the engine reads it. */
  def of(scan: FileSourceScanExec): Option[ScanFormat] =
    all.find(_.isFormat(scan.relation.fileFormat))
}
