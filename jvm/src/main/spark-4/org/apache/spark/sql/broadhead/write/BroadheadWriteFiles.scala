package org.apache.spark.sql.broadhead.write

import org.apache.spark.sql.catalyst.catalog.BucketSpec
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{FileFormat, WriteFilesExecBase}

/** The write of a table's files in the engine: see [[WritesTableFiles]]. */
case class BroadheadWriteFiles(
    child: SparkPlan,
    fileFormat: FileFormat,
    partitionColumns: Seq[Attribute],
    bucketSpec: Option[BucketSpec],
    options: Map[String, String],
    staticPartitions: TablePartitionSpec)
    extends WriteFilesExecBase
    with WritesTableFiles {

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadWriteFiles =
    copy(child = newChild)
}
