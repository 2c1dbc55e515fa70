package org.apache.spark.sql.broadhead.write

import org.apache.spark.sql.catalyst.catalog.BucketSpec
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{FileFormat, WriteFilesExec}

/**
 * The write of a table's files in the engine: see [[WritesTableFiles]].
 *
 * Spark 3.5 looks for its own operator, so this is one. Its `copy` would be Spark's: new children
 * come by `withNewChildren`.
 */
class BroadheadWriteFiles(
    rows: SparkPlan,
    format: FileFormat,
    partitions: Seq[Attribute],
    buckets: Option[BucketSpec],
    asked: Map[String, String],
    constants: TablePartitionSpec)
    extends WriteFilesExec(rows, format, partitions, buckets, asked, constants)
    with WritesTableFiles {

  /** Else it would equal Spark's write of the same rows, and replace it nowhere. */
  override def canEqual(other: Any): Boolean = other.isInstanceOf[BroadheadWriteFiles]

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadWriteFiles =
    new BroadheadWriteFiles(newChild, fileFormat, partitionColumns, bucketSpec, options,
      staticPartitions)
}
