package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.operators.{BroadheadBatchScan, BroadheadFileSourceScan}
import org.apache.spark.sql.broadhead.scan.ScannedColumns
import org.apache.spark.sql.broadhead.scan.batch.BatchScanFiles
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** The size of the data that a plan reads, as far as it is known before execution. */
private[broadhead] object ScannedBytes {

  /** Bytes of the scanned columns in their files, and of earlier stages. */
  def of(plan: SparkPlan): Long = plan
    .collectLeaves()
    .map {
      case scan: FileSourceScanExec => ofScan(scan)
      case scan: BatchScanExec => ofScan(scan)
      case scan: BroadheadFileSourceScan => ofScan(scan.planned)
      case BroadheadBatchScan(scan, _) => ofScan(scan)
      case stage: QueryStageExec => stage.computeStats().fold(0L)(_.sizeInBytes.toLong)
      case _ => 0L
    }
    .sum

  /** The same for files of a data source that the engine reads. */
  def ofScan(scan: BatchScanExec): Long = BatchScanFiles.of(scan).fold(_ => 0L, _.bytes)

  /** Bytes of the columns that are read. */
  def ofScan(scan: FileSourceScanExec): Long = ScannedColumns.bytes(scan)
}
