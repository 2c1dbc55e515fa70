package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.execution.PythonCommand
import org.apache.spark.sql.broadhead.operators.FragmentOperator
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/**
 * The jobs of Delta Lake's writer over the rows of a fragment.
 *
 * Delta hands the rows of a plan to a job of its own, outside of any plan, so the job is found when
 * Spark serializes it: its function has captured the description of the write. In each task that
 * description gets another writer of files and other statistics ([[ResultWrite]]). All else stays
 * Delta's code. What is not known here is written by Delta from rows, as without Broadhead.
 */
private[broadhead] object DeltaWrites {
  private val Writer = "org/apache/spark/sql/delta/files/DeltaFileFormatWriter$"

  /** The write of a job's function, if it is that of Delta's writer. */
  def of(function: SerializedLambda, root: FragmentOperator): Option[ResultWrite] =
    described(function)
      .filter(_ => new Settings(root.conf).operatorEnabled(WriteFilesCase.name))
      .flatMap(job => root.session.withActive(new DeltaWrite(root, job).prepared))

  /** The description that the function has captured. */
  private def described(function: SerializedLambda): Option[WriteJobDescription] = {
    val arguments = WritingJobs.captured(function)
    // Several files at the same time: the rows are not sorted by partitions.
    val concurrent = arguments.exists(_.isInstanceOf[Some[_]])
    arguments.collectFirst {
      case job: WriteJobDescription if function.getImplClass == Writer && !concurrent => job
    }
  }
}

/** A job of Delta's writer over the rows of a fragment. */
private class DeltaWrite(root: FragmentOperator, job: WriteJobDescription) extends Logging {
  private val write = new FragmentFileWrite(root)
  private val support = write.support
  private val options = WriteOptions(Map.empty, root.conf)

  /** The write; none if the engine does not write such files. */
  def prepared: Option[ResultWrite] =
    for {
      statistics <- DeltaStatistics.of(job.statsTrackers)
      if reasons(statistics).isEmpty
      json <- write.json(
        job.allColumns,
        job.allColumns.indices,
        ParquetWriteFormat.settings(job, options),
        statistics.over(root.output))
    } yield new DeltaResultWrite(
      job,
      PythonCommand.pickle(json),
      write.metrics,
      statistics.buffers)

  private def reasons(statistics: DeltaStatistics): Seq[String] = {
    val found =
      if (!hasSparkWriter) Seq("its writer of files is not Spark's")
      else if (!hasPlainRows) Seq("the rows are not written to one file as they are")
      else if (!counts(statistics)) Seq("its statistics are not those of its columns")
      else {
        ParquetWriteFormat.reasons(asWriteFiles, support) ++
          job.allColumns.flatMap(support.columnReasons) ++
          statistics.aggregates.flatMap(support.aggregateReasons)
      }
    if (found.nonEmpty) logInfo(s"Delta Lake writes rows of a fragment: ${found.mkString("; ")}")
    found
  }

  private def hasPlainRows: Boolean =
    job.partitionColumns.isEmpty && job.bucketSpec.isEmpty && job.maxRecordsPerFile <= 0 &&
      job.dataColumns == job.allColumns && job.allColumns.size == root.output.size &&
      job.allColumns.zip(root.output).forall { case (written, row) =>
        DataTypeUtils.sameType(written.dataType, row.dataType)
      }

  private def counts(statistics: DeltaStatistics): Boolean =
    statistics.aggregates.isEmpty ||
      statistics.columns.map(_.exprId) == job.allColumns.map(_.exprId)

  private def hasSparkWriter: Boolean =
    job.outputWriterFactory.getClass.getName
      .startsWith("org.apache.spark.sql.execution.datasources.parquet.")

  private def asWriteFiles: WriteFilesExec =
    WriteFilesExec(
      WrittenRows(job.allColumns),
      new ParquetFileFormat,
      Nil,
      None,
      Map.empty,
      Map.empty)
}
