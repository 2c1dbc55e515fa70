package org.apache.spark.sql.broadhead.scan.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.SparkSession

/**
 * A format of Parquet files, Spark's or Delta Lake's, for a scan that only plans splits.
 *
 * Spark sets up its reader before it plans them, and broadcasts Hadoop's configuration with it,
 * which takes longer than the splits.
 */
private[broadhead] class ParquetSplits(format: FileFormat) extends ParquetFileFormat {

  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path): Boolean = format.isSplitable(session, options, path)

  override def fileConstantMetadataExtractors: Map[String, PartitionedFile => Any] =
    format.fileConstantMetadataExtractors

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
