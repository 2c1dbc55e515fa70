package org.apache.spark.sql.broadhead.scan.batch

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.scan.{FileAccess, SplitFields}
import org.apache.spark.sql.broadhead.scan.iceberg.IcebergFiles
import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** The files of a scan of Spark's data source API V2, if they are of a kind that the engine reads. */
private[broadhead] trait BatchScanFiles {

  /** Why the engine cannot read them like the data source; none if it can. */
  def reasons: Seq[String]

  /** The name of their format in the wire format. */
  def format: String

  /** What the engine needs to know besides, as in the wire format. */
  def options(encoder: ExpressionEncoder): Seq[(String, JsonNode)]

  /** The columns of the output that the engine looks for in the files; the others follow. */
  def dataColumns: Seq[Attribute]

  /** Conditions that all wanted rows satisfy. */
  def filters: Seq[Expression]

  /** Whether the engine may use them to skip rows, as the data source does. */
  def skipsRows: Boolean

  /** Whether the data source may skip rows by other conditions, too. */
  def hasOtherFilters: Boolean

  /** Names and descriptions of the metrics that only this format has: they count things. */
  def counts: Seq[(String, String)]

  /** The splits of one of the data source's partitions, in their order. */
  def splits(partition: InputPartition): Seq[PartitionedFile]

  def splitFields: SplitFields

  def fileAccess: FileAccess

  /** Spark's parsing of the files' lines, for formats that leave some of them to it. */
  def lineParsing: Option[LineParsing] = None

  /** The size of the wanted columns in the files, roughly. */
  def bytes: Long
}

private[broadhead] object BatchScanFiles {

  /** The files of a scan, or why the engine does not know them. */
  def of(scan: BatchScanExec): Either[String, BatchScanFiles] =
    IcebergFiles
      .of(scan)
      .orElse(SourceFiles.of(scan).map(Right(_)))
      .getOrElse(Left(s"rows of a ${scan.scan.getClass.getSimpleName} are its data source's"))
}
