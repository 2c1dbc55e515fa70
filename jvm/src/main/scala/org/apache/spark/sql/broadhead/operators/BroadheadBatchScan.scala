package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{FileScanOperator, OperatorCase}
import org.apache.spark.sql.broadhead.scan.{FileAccess, SplitFields}
import org.apache.spark.sql.broadhead.scan.batch.BatchScanFiles
import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, Literal, PredicateHelper, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceRDDPartition}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Spark's `BatchScanExec` over files that the engine reads.
 *
 * The data source plans the partitions. Its runtime filters are a field of this node besides the
 * planned scan, since Spark's rules change the expressions that are fields of a node.
 */
case class BroadheadBatchScan(planned: BatchScanExec, runtimeFilters: Seq[Expression])
    extends FileScanOperator {

  /** Spark's scan with the current filters: the data source prunes its partitions by them. */
  @transient override lazy val original: BatchScanExec =
    if (planned.runtimeFilters == runtimeFilters) planned
    else VersionedSpark.copyOf(planned, Map("runtimeFilters" -> runtimeFilters))

  override def keepsOrder: Boolean =
    BatchScanCase.givesAllThatPass(original, Literal.TrueLiteral)

  @transient private lazy val files =
    BatchScanFiles.of(original).fold(reason => throw new IllegalStateException(reason), identity)

  override def nodeName: String = s"Broadhead${planned.nodeName}"

  override def output: Seq[Attribute] = planned.output

  override def outputPartitioning: Partitioning = original.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = original.outputOrdering

  protected override def planMetrics: Map[String, SQLMetric] = original.customMetrics

  protected override def formatCounts: Seq[(String, String)] = files.counts

  /** As in Spark's own RDD, which has no input for the only partition of an empty table. */
  override def filePartitions: Seq[FilePartition] =
    original.inputRDD.partitions.toSeq.zipWithIndex.map { case (partition, index) =>
      val inputs = partition match {
        case some: DataSourceRDDPartition => VersionedSpark.inputsOf(some)
        case _ => Nil
      }
      FilePartition(index, inputs.flatMap(files.splits).toArray)
    }

  override def splitFields: SplitFields = files.splitFields

  override def fileAccess: FileAccess = files.fileAccess

  override def lineParsing: Option[LineParsing] = files.lineParsing

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val data = files.dataColumns
    Seq(
      "format" -> Json.text(files.format),
      "options" -> Json.obj(files.options(encoder): _*),
      "dataColumns" -> Json.texts(data.map(_.name)),
      "partitionColumns" -> Json.texts(output.drop(data.length).map(_.name)),
      "filters" -> Json.array(pruningFilters.map(encoder.encode(_, output))))
  }

  /** Filters that the engine may use to skip rows: those that it supports. */
  private def pruningFilters: Seq[Expression] =
    if (files.skipsRows) {
      val support = new ExpressionSupport(Capabilities.ofJar, new io.broadhead.Settings(conf))
      val readable = AttributeSet(files.dataColumns)
      files.filters.filter { filter =>
        filter.references.subsetOf(readable) && support.reasons(filter).isEmpty
      }
    } else {
      Nil
    }

  protected override def doCanonicalize(): SparkPlan = {
    val canonical = original.canonicalized.asInstanceOf[BatchScanExec]
    BroadheadBatchScan(canonical, canonical.runtimeFilters)
  }

  override def simpleString(maxFields: Int): String =
    s"Broadhead${original.simpleString(maxFields)}"

  override def verboseStringWithOperatorId(): String = describeAs(original)
}

private[broadhead] object BatchScanCase extends OperatorCase[BatchScanExec] with PredicateHelper {
  override def name: String = "BatchScan"

  override def isLight(plan: BatchScanExec): Boolean = true

  override def readsFiles: Boolean = true

  /** Whether the condition above a scan drops all rows that its filters do not let pass. */
  def givesAllThatPass(scan: BatchScanExec, condition: Expression): Boolean = {
    val conditions = splitConjunctivePredicates(condition)
    BatchScanFiles.of(scan).exists { files =>
      !files.hasOtherFilters && files.filters
        .flatMap(splitConjunctivePredicates)
        .forall(filter => conditions.exists(_.semanticEquals(filter)))
    }
  }

  override def reasons(scan: BatchScanExec, support: ExpressionSupport): Seq[String] =
    BatchScanFiles.of(scan).fold(Seq(_), _.reasons) ++ scan.output.flatMap(support.columnReasons)

  override def convert(scan: BatchScanExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadBatchScan(scan, scan.runtimeFilters)
}
