package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.sql.broadhead.scan.{FileAccess, SplitFields}
import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** A leaf of a fragment whose rows are in files; Spark's own scan plans the splits. */
private[broadhead] trait FileScanOperator extends LeafExecNode with FragmentOperator {
  override def operatorName: String = "FileScan"

  /** The splits of each of Spark's partitions. */
  def filePartitions: Seq[FilePartition]

  /** What a worker has to know of a split besides its bytes. */
  def splitFields: SplitFields

  /** How tasks read files that are not in the local file system. */
  def fileAccess: FileAccess

  /** Spark's parsing of the files' lines, for formats that leave some of them to it. */
  def lineParsing: Option[LineParsing] = None

  /** Metrics that the driver sets when it plans the splits. */
  protected def planMetrics: Map[String, SQLMetric]

  /** Names and descriptions of the metrics that only the format has: they count things. */
  protected def formatCounts: Seq[(String, String)]

  protected override def ownMetrics: Map[String, SQLMetric] = planMetrics ++ Map(
    "readTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "scan time"),
    "bytesRead" -> SQLMetrics.createSizeMetric(sparkContext, "size of data read"),
    "requests" -> SQLMetrics.createMetric(sparkContext, "number of requests to file systems"),
    "bytesFetched" -> SQLMetrics.createSizeMetric(sparkContext, "size of data fetched"),
    "fetchWaitTime" -> SQLMetrics.createNanoTimingMetric(
      sparkContext,
      "time waiting for file systems")) ++
    formatCounts.map { case (name, text) => name -> SQLMetrics.createMetric(sparkContext, text) }
}
