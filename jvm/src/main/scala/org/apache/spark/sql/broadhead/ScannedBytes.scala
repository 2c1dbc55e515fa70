package org.apache.spark.sql.broadhead

import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.QueryStageExec

/** How much data a plan reads, as far as is known before it runs. */
private[broadhead] object ScannedBytes {

  /** Bytes of the scanned columns in their files, and of stages that were planned before. */
  def of(plan: SparkPlan): Long = plan
    .collectLeaves()
    .map {
      case scan: FileSourceScanExec => ofScan(scan)
      case BroadheadFileSourceScan(scan, _, _) => ofScan(scan)
      case stage: QueryStageExec => stage.computeStats().fold(0L)(_.sizeInBytes.toLong)
      case _ => 0L
    }
    .sum

  /** Bytes of the columns that are read, as if all were of one width for each type. */
  def ofScan(scan: FileSourceScanExec): Long = {
    val all = math.max(1, scan.relation.dataSchema.defaultSize)
    val share = scan.requiredSchema.defaultSize.toDouble / all
    (scan.relation.sizeInBytes * math.min(1.0, share)).toLong
  }
}
