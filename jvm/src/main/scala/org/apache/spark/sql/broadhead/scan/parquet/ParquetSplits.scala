package org.apache.spark.sql.broadhead.scan.parquet

import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.SparkSession

/**
 * Spark's Parquet format for a scan that only plans splits.
 *
 * Spark sets up its reader before it plans them, and broadcasts Hadoop's configuration with it,
 * which takes longer than the splits.
 */
private[broadhead] class ParquetSplits extends ParquetFileFormat {

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] =
    file =>
      throw new UnsupportedOperationException(
        s"${file.filePath} is read by Broadhead; this scan of it only has its splits")
}
