package org.apache.spark.sql.broadhead.scan.parquet

import scala.util.Try

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileFormat

/**
 * Tables of Delta Lake, whose format is a subclass of Spark's Parquet.
 *
 * Its reader is Spark's own, with two additions. It reads columns by other names if the table maps
 * its columns. And it fills internal columns, by which a filter above the scan drops the rows that
 * a deletion vector marks. The files themselves are chosen at planning, like partitions.
 *
 * Delta Lake is not on the class path of a build, so its class is known by its name.
 */
private[broadhead] object DeltaTables {
  private val FormatClass = "org.apache.spark.sql.delta.DeltaParquetFileFormat"
  private val InternalPrefix = "__delta_internal_"
  private val PlainNames = "none"

  def isFormat(format: FileFormat): Boolean = format.getClass.getName == FormatClass

  /** Why Spark's Parquet reader alone does not give the rows of a scan. */
  def reasons(scan: FileSourceScanExec): Seq[String] = {
    val format = scan.relation.fileFormat
    if (!isFormat(format)) Nil
    else {
      val internal = scan.requiredSchema.fieldNames.exists(_.startsWith(InternalPrefix))
      Reasons.when(!columnMapping(format).contains(PlainNames))(
        "Delta Lake: column mapping is not supported") ++
        Reasons.when(internal || !hasNoDeletionVectors(format))(
          "Delta Lake: deletion vectors are not supported; REORG TABLE ... APPLY (PURGE) removes " +
            "those of a table")
    }
  }

  private def columnMapping(format: FileFormat): Option[Any] =
    field(format, "columnMappingMode").flatMap(field(_, "name"))

  /** The path of a table is set for scans of files that have such vectors. */
  private def hasNoDeletionVectors(format: FileFormat): Boolean =
    field(format, "hasTablePath").contains(false)

  private def field(of: Any, name: String): Option[Any] =
    Try(of.getClass.getMethod(name).invoke(of)).toOption
}
