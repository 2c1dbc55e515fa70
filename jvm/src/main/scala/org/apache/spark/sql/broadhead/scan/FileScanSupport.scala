package org.apache.spark.sql.broadhead.scan

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, FileSourceMetadataAttribute}
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.FileSourceScanExec

/** Why the engine cannot read the files of a scan like Spark, whatever their format. */
private[broadhead] object FileScanSupport {

  def reasons(scan: FileSourceScanExec, format: ScanFormat): Seq[String] =
    columnReasons(scan, format) ++ format.reasons(scan)

  /** The constant fields of `_metadata` are read, those that Spark's readers generate by format. */
  private def columnReasons(scan: FileSourceScanExec, format: ScanFormat): Seq[String] = {
    val constant = AttributeSet(scan.fileConstantMetadataColumns)
    val generated = scan.output.collect {
      case FileSourceMetadataAttribute(column)
          if !format.readsGeneratedMetadata && !constant.contains(column) =>
        column.name
    }
    val defaults = scan.requiredSchema.filter(
      _.metadata.contains(ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY))
    generated.distinct.map(name => s"the metadata column $name is not supported") ++
      defaults.map(field => s"the default value of column ${field.name} is not supported")
  }
}
