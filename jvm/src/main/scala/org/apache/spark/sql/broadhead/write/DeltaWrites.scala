package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda

import io.broadhead.Settings

import org.apache.spark.SparkEnv
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.IO_ENCRYPTION_ENABLED
import org.apache.spark.sql.broadhead.encoding.{Reasons, TypeNames}
import org.apache.spark.sql.broadhead.fragment.FragmentOperator
import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo, Expression, If, Literal}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StringType

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

  /**
   * The write of a job's function, if it is that of Delta's writer.
   *
   * @param above Delta's own operators over the rows, from the last on
   */
  def of(
      function: SerializedLambda,
      root: FragmentOperator,
      above: Seq[String]): Option[ResultWrite] =
    described(function)
      .filter(_ => new Settings(root.conf).operatorEnabled(WriteFilesCase.name))
      .flatMap(job => root.session.withActive(new DeltaWrite(root, job, above).prepared))

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
private class DeltaWrite(root: FragmentOperator, job: WriteJobDescription, above: Seq[String])
    extends Logging {
  private val write = new FragmentFileWrite(root)
  private val support = write.support
  private val options = WriteOptions(Map.empty, root.conf)

  /** The ordinals of columns among those of the rows. */
  private def ordinals(columns: Seq[Attribute]): Seq[Int] =
    columns.map(column => job.allColumns.indexWhere(_.exprId == column.exprId))

  /** What the rows of a file are equal in: for Delta Lake an empty text is null. */
  private lazy val partitions: Seq[Expression] =
    ordinals(job.partitionColumns).map(root.output).map { column =>
      if (column.dataType != StringType) column
      else If(EqualTo(column, Literal("")), Literal(null, StringType), column)
    }

  /** The write; none if the engine does not write such files. */
  def prepared: Option[ResultWrite] =
    for {
      statistics <- DeltaStatistics.of(job.statsTrackers)
      if reasons(statistics).isEmpty
      encoded <- write.encoded(layout(statistics))
    } yield {
      if (job.partitionColumns.isEmpty) new DeltaResultWrite(job, encoded, statistics.buffers)
      else new PartitionedDeltaWrite(job, encoded, statistics.buffers)
    }

  /** Delta Lake may write the columns of partitions, too. */
  private def written: Seq[Int] = job.dataColumns.map { column =>
    val partition = job.partitionColumns.indexWhere(_.exprId == column.exprId)
    if (partition < 0) ordinals(Seq(column)).head else root.output.length + partition
  }

  private def layout(statistics: DeltaStatistics): FileLayout = FileLayout(
    written,
    job.dataColumns,
    ParquetWriteFormat.settings(job, options),
    partitions,
    isSorted = job.partitionColumns.isEmpty,
    first = partitions.indices.map(root.output.length + _),
    statistics = statistics.over(ordinals(statistics.columns).map(root.output)))

  private def reasons(statistics: DeltaStatistics): Seq[String] = {
    val found =
      if (!hasSparkWriter) Seq("its writer of files is not Spark's")
      else if (!Above(isPartitioned, above))
        Seq(s"it changes the rows before (${above.mkString(", ")})")
      else if (!hasPlainRows) Seq("the rows are not written to files as they are")
      else if (!counts(statistics)) Seq("its statistics are not those of its columns")
      else {
        ParquetWriteFormat.reasons(asWriteFiles, support) ++
          ParquetWriteFormat.uncheckedReasons(asWriteFiles.conf, job.allColumns) ++
          job.allColumns.flatMap(support.columnReasons) ++
          partitions.flatMap(support.reasons) ++ partitionReasons ++
          statistics.aggregates.flatMap(support.engineReasons)
      }
    if (found.nonEmpty) logInfo(s"Delta Lake writes rows of a fragment: ${found.mkString("; ")}")
    found
  }

  private def hasPlainRows: Boolean =
    job.bucketSpec.isEmpty && job.maxRecordsPerFile <= 0 &&
      ordinals(job.dataColumns ++ job.partitionColumns).toSet == job.allColumns.indices.toSet &&
      job.allColumns.size == root.output.size &&
      job.allColumns.zip(root.output).forall { case (written, row) =>
        DataTypeUtils.sameType(written.dataType, row.dataType)
      }

  private def isPartitioned: Boolean = job.partitionColumns.nonEmpty

  /** The files of partitions wait on a local disk for the order in which Delta Lake opens them. */
  private def partitionReasons: Seq[String] =
    Reasons.when(isPartitioned && SparkEnv.get.conf.get(IO_ENCRYPTION_ENABLED))(
      s"files of partitions are not written with ${IO_ENCRYPTION_ENABLED.key}") ++
      job.partitionColumns
        .filter(column =>
          TypeNames.holdsCollation(column.dataType) ||
            !WriteFilesCase.isPartitionType(column.dataType))
        .map(column => s"partitions by ${column.name} are not written")

  private def counts(statistics: DeltaStatistics): Boolean = {
    val counted = statistics.aggregates.flatMap(_.references).map(_.exprId).toSet
    val partitions = job.partitionColumns.map(_.exprId).toSet
    counted.subsetOf(job.allColumns.map(_.exprId).toSet) && !counted.exists(partitions) &&
    statistics.columns.forall(column => job.allColumns.exists(_.exprId == column.exprId))
  }

  private def hasSparkWriter: Boolean =
    job.outputWriterFactory.getClass.getName
      .startsWith("org.apache.spark.sql.execution.datasources.parquet.")

  private def asWriteFiles: WriteFilesExec =
    WriteFilesExec(
      WrittenRows(job.dataColumns),
      new ParquetFileFormat,
      Nil,
      None,
      Map.empty,
      Map.empty)
}

/** Delta's own operators over the rows, which do not change the values of a file's row. */
private object Above {

  /** Without partitions there are none; with them a sort, below it a projection of empty texts. */
  def apply(isPartitioned: Boolean, operators: Seq[String]): Boolean =
    if (isPartitioned) Set(Nil, Seq("Project"), Seq("Sort"), Seq("Sort", "Project"))(operators)
    else operators.isEmpty
}
