package org.apache.spark.sql.broadhead.scan

import org.apache.spark.sql.execution.FileSourceScanExec

/** The size of the columns that a scan reads. */
private[broadhead] object ScannedColumns {

  /** In bytes, with one estimated width for each type. */
  def bytes(scan: FileSourceScanExec): Long = {
    val all = math.max(1, scan.relation.dataSchema.defaultSize)
    val share = scan.requiredSchema.defaultSize.toDouble / all
    (scan.relation.sizeInBytes * math.min(1.0, share)).toLong
  }
}
