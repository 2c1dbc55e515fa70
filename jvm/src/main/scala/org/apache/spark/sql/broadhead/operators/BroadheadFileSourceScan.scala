package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionEncoder, ExpressionSupport, Json, RuntimeBloomFilters}
import org.apache.spark.sql.broadhead.fragment.{FileScanOperator, OperatorCase}
import org.apache.spark.sql.broadhead.scan.{FileAccess, FileScanSupport, HadoopFiles, ScanConstants, ScanFormat, SplitFields}
import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{FileSourceScanExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Spark's `FileSourceScanExec` over a format that the engine reads.
 *
 * The filters are fields of this node besides the planned scan, since Spark's rules (adaptive
 * execution, dynamic partition pruning, reuse of subqueries) change the expressions that are
 * fields of a node.
 *
 * @param ofFile functions of the file, such as `input_file_name`, which are further columns
 */
case class BroadheadFileSourceScan(
    planned: FileSourceScanExec,
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression],
    ofFile: Seq[Alias] = Nil)
    extends FileScanOperator {

  /** Spark's scan with the current filters, which prunes partitions. */
  @transient private lazy val scan: FileSourceScanExec =
    if (planned.partitionFilters == partitionFilters && planned.dataFilters == dataFilters) {
      planned
    } else {
      VersionedSpark.copyOf(
        planned,
        Map("partitionFilters" -> partitionFilters, "dataFilters" -> dataFilters))
    }

  /** The same scan, which creates the splits. */
  @transient private lazy val splitting: FileSourceScanExec = {
    val relation = scan.relation
    val other = format.forSplits(relation.fileFormat)
    if (other eq relation.fileFormat) {
      scan
    } else {
      val changed = relation.copy(fileFormat = other)(relation.sparkSession)
      VersionedSpark.copyOf(scan, Map("relation" -> changed))
    }
  }

  @transient override lazy val original: SparkPlan =
    if (ofFile.isEmpty) scan else ProjectExec(scan.output ++ ofFile, scan)

  override def keepsOrder: Boolean = FileSourceScanCase.keepsOrder(scan)

  private def format: ScanFormat = ScanFormat.of(planned).get

  override def nodeName: String = "BroadheadFileSourceScan"

  override def output: Seq[Attribute] = planned.output ++ ofFile.map(_.toAttribute)

  override def outputPartitioning: Partitioning = scan.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = scan.outputOrdering

  override def filePartitions: Seq[FilePartition] = splitting.inputRDDs().head match {
    case files: FileScanRDD => files.filePartitions
    case other =>
      throw new IllegalStateException(
        s"the scan $nodeName returns ${other.getClass.getName}, which has no file splits")
  }

  override def splitFields: SplitFields = ScanConstants.of(scan, ofFile)

  override def fileAccess: FileAccess = HadoopFiles.of(
    scan.session.sessionState.newHadoopConfWithOptions(scan.relation.options),
    sparkContext)

  override def lineParsing: Option[LineParsing] = format.lineParsing(scan)

  protected override def planMetrics: Map[String, SQLMetric] = splitting.driverMetrics

  protected override def formatCounts: Seq[(String, String)] = format.counts

  private def dataAttributes: Seq[Attribute] = output.take(planned.requiredSchema.length)

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "format" -> Json.text(format.name),
    "options" -> Json.obj(format.options(planned, encoder): _*),
    "dataColumns" -> Json.texts(format.storedSchema(planned).fieldNames),
    "partitionColumns" -> Json.texts(output.drop(planned.requiredSchema.length).map(_.name)),
    "filters" -> Json.array(pruningFilters.map(encoder.encode(_, output))))

  /** Filters that the engine may use to skip rows: those that it supports. */
  private def pruningFilters: Seq[Expression] =
    if (format.skipsRows(conf)) {
      val support = new ExpressionSupport(Capabilities.ofJar, new io.broadhead.Settings(conf))
      val readable = AttributeSet(dataAttributes)
      dataFilters.filter { filter =>
        filter.references.subsetOf(readable) && support.partsBySpark(filter).isEmpty &&
        support.reasons(filter).isEmpty
      }
    } else {
      Nil
    }

  protected override def doCanonicalize(): SparkPlan = {
    val canonical = scan.canonicalized.asInstanceOf[FileSourceScanExec]
    BroadheadFileSourceScan(
      canonical,
      canonical.partitionFilters,
      canonical.dataFilters,
      ofFile.map(column => Alias(column.child, "")(ExprId(0))))
  }

  override def simpleString(maxFields: Int): String =
    nodeName + scan.simpleString(maxFields).stripPrefix("FileScan")

  override def verboseStringWithOperatorId(): String = describeAs(scan)
}

private[broadhead] object FileSourceScanCase
    extends OperatorCase[FileSourceScanExec]
    with PredicateHelper {
  override def name: String = "FileSourceScan"

  override def isLight(plan: FileSourceScanExec): Boolean = true

  override def readsFiles: Boolean = true

  /** Whether the scan always gives the same rows. */
  def keepsOrder(plan: FileSourceScanExec): Boolean = givesAllThatPass(plan, Literal.TrueLiteral)

  /**
   * Whether the condition above a scan drops all rows that its filters do not let pass. Otherwise
   * the rows are not always the same: Spark's reader and the engine may skip different ones.
   */
  def givesAllThatPass(scan: FileSourceScanExec, condition: Expression): Boolean = {
    val conditions = splitConjunctivePredicates(condition)
    scan.dataFilters
      .filterNot(RuntimeBloomFilters.isOne)
      .forall(filter => conditions.exists(_.semanticEquals(filter)))
  }

  override def reasons(scan: FileSourceScanExec, support: ExpressionSupport): Seq[String] =
    ScanFormat.of(scan).toSeq.flatMap(FileScanSupport.reasons(scan, _)) ++ scan.output.flatMap(
      support.columnReasons)

  override def convert(scan: FileSourceScanExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadFileSourceScan(
      scan,
      scan.partitionFilters,
      scan.dataFilters.filterNot(RuntimeBloomFilters.isOne))
}
