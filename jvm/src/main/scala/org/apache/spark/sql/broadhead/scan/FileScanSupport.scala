package org.apache.spark.sql.broadhead.scan

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.FileSourceMetadataAttribute
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.FileSourceScanExec

/** Why the engine cannot read the files of a scan like Spark, whatever their format. */
private[broadhead] object FileScanSupport {

  def reasons(scan: FileSourceScanExec, format: ScanFormat): Seq[String] =
    columnReasons(scan) ++ optionReasons(scan) ++ format.reasons(scan)

  private def columnReasons(scan: FileSourceScanExec): Seq[String] = {
    val metadata = scan.output.collect { case FileSourceMetadataAttribute(column) => column.name }
    val defaults = scan.requiredSchema.filter(
      _.metadata.contains(ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY))
    metadata.distinct.map(name => s"the metadata column $name is not supported") ++
      defaults.map(field => s"the default value of column ${field.name} is not supported")
  }

  private def optionReasons(scan: FileSourceScanExec): Seq[String] = {
    val files = new FileSourceOptions(scan.relation.options)
    Reasons.when(files.ignoreCorruptFiles)("ignoreCorruptFiles = true is not supported") ++
      Reasons.when(files.ignoreMissingFiles)("ignoreMissingFiles = true is not supported")
  }
}
