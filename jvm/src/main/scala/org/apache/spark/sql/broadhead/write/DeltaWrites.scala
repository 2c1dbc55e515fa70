package org.apache.spark.sql.broadhead.write

import java.lang.invoke.SerializedLambda

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{ActiveJob, ResultStage}
import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, FragmentEncoder, Json}
import org.apache.spark.sql.broadhead.execution.PythonCommand
import org.apache.spark.sql.broadhead.operators.{BroadheadHashAggregate, FragmentOperator}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteJobDescription}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The jobs of Delta Lake's writer over the rows of a fragment.
 *
 * Delta hands the rows of a plan to a job of its own, outside of any plan, so the job is found when
 * Spark serializes it: its function has captured the description of the write. In each task that
 * description gets another writer of files and other statistics ([[ResultWrite]]). All else stays
 * Delta's code. What is not known here is written by Delta from rows, as without Broadhead.
 */
private[broadhead] object DeltaWrites extends Logging {
  private val Writer = "org/apache/spark/sql/delta/files/DeltaFileFormatWriter$"

  /** How the engine writes the files of the job that is being started for the rows. */
  def of(rows: RDD[_], root: FragmentOperator): Option[ResultWrite] =
    try {
      jobOf(rows)
        .filter(_ => new Settings(root.conf).operatorEnabled(WriteFilesCase.name))
        .flatMap(job => root.session.withActive(new DeltaWrite(root, job).prepared))
    } catch {
      case failure @ (NonFatal(_) | _: LinkageError) =>
        logWarning("Broadhead leaves a write to Delta Lake", failure)
        None
    }

  private def jobOf(rows: RDD[_]): Option[WriteJobDescription] = {
    val scheduler = rows.sparkContext.dagScheduler
    scheduler.getClass
      .getMethod("activeJobs")
      .invoke(scheduler)
      .asInstanceOf[Iterable[ActiveJob]]
      .map(_.finalStage)
      .collectFirst { case stage: ResultStage if stage.rdd eq rows => stage.func }
      .flatMap(captured)
  }

  /** The description that a function of Delta's writer has captured. */
  private def captured(function: AnyRef): Option[WriteJobDescription] =
    function.getClass.getDeclaredMethods.find(_.getName == "writeReplace").flatMap { method =>
      method.setAccessible(true)
      method.invoke(function) match {
        case lambda: SerializedLambda if lambda.getImplClass == Writer =>
          val arguments = (0 until lambda.getCapturedArgCount).map(lambda.getCapturedArg)
          // Several files at the same time: the rows are not sorted by partitions.
          val concurrent = arguments.exists(_.isInstanceOf[Some[_]])
          arguments.collectFirst { case job: WriteJobDescription if !concurrent => job }
        case _ => None
      }
    }
}

/** A job of Delta's writer over the rows of a fragment. */
private class DeltaWrite(root: FragmentOperator, job: WriteJobDescription) extends Logging {
  private val support = new ExpressionSupport(Capabilities.ofJar, new Settings(root.conf))
  private val encoder = new ExpressionEncoder(support)
  private val options = WriteOptions(Map.empty, root.conf)

  /** The write; none if the engine does not write such files. */
  def prepared: Option[ResultWrite] =
    for {
      statistics <- DeltaStatistics.of(job.statsTrackers)
      if reasons(statistics).isEmpty
      json <- encoded(statistics)
    } yield new ResultWrite(job, PythonCommand.pickle(json), metrics, statistics.buffers)

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

  /** The fragment with the write above its root; the other nodes keep their ids. */
  private def encoded(statistics: DeltaStatistics): Option[String] = {
    val fragment = Json.parse(root.fragment.json).asInstanceOf[ObjectNode]
    val own = Seq(
      "op" -> Json.text("FileWrite"),
      "id" -> Json.number(id.toLong),
      "output" -> Json.array(job.allColumns.map(FragmentEncoder.encodeAttribute)),
      "format" -> Json.text(ParquetWriteFormat.name),
      "options" -> Json.obj(ParquetWriteFormat.settings(job, options): _*),
      "dataColumns" -> Json.array(job.allColumns.indices.map(n => Json.number(n.toLong))),
      "partitionColumns" -> Json.array(Nil),
      "maxRecords" -> Json.number(0L),
      "statistics" -> aggregates(statistics),
      "children" -> Json.array(Seq(fragment.get("root"))))
    fragment.set[JsonNode]("root", Json.obj(own: _*))
    // The fragment's header has no others than its own.
    Option.when(encoder.evaluations.isEmpty && encoder.timeZones.isEmpty)(Json.write(fragment))
  }

  private def id: Int = root.fragment.nodes.size

  private def aggregates(statistics: DeltaStatistics): JsonNode = {
    val calls = statistics.over(root.output)
    val node = BroadheadHashAggregate(
      None,
      isStreaming = false,
      None,
      Nil,
      calls,
      calls.map(_.resultAttribute),
      0,
      Nil,
      root)
    node.encodeFields(encoder).toMap.apply("aggregates")
  }

  /** The metrics of the fragment, whose root is another node now. */
  private def metrics: Map[String, SQLMetric] = {
    val ofRoot = root.engineMetrics.keySet.map(name => s"0.$name")
    val all = root.fragment.metrics
    all ++ all.collect {
      case (name, metric) if name.startsWith("0.") && !ofRoot(name) =>
        s"$id.${name.stripPrefix("0.")}" -> metric
    }
  }
}
