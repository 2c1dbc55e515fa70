package org.apache.spark.sql.broadhead.write

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, EncodedFragment, EncodingFallback, FragmentEncoder, FragmentMetrics, FragmentNode, FragmentOperator, FragmentRunner, OperatorCase, ReplayPlan}
import org.apache.spark.sql.broadhead.operators.BroadheadProject
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.catalog.BucketSpec
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types._

/**
 * Spark's `WriteFilesExec`, with files that the engine encodes: `BroadheadWriteFiles`, whose class
 * differs between the versions of Spark.
 *
 * Spark's command above it sets the job up and commits it; Spark's own writers name the files of
 * a task, count them and commit the task (`FragmentFilesRDD`).
 */
private[write] trait WritesTableFiles extends UnaryExecNode with BroadheadOperator {
  def fileFormat: FileFormat
  def partitionColumns: Seq[Attribute]
  def bucketSpec: Option[BucketSpec]
  def options: Map[String, String]
  def staticPartitions: TablePartitionSpec

  override def endsFragment: Boolean = true

  override def nodeName: String = "BroadheadWriteFiles"

  private lazy val engineMetrics = FragmentMetrics.ofOperator(sparkContext) +
    ("bytesWritten" -> SQLMetrics.createSizeMetric(sparkContext, "size of files written"))

  private lazy val fragmentMetrics = FragmentMetrics.ofFragment(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] = engineMetrics ++ fragmentMetrics

  protected override def doExecuteWrite(spec: WriteFilesSpec): RDD[WriterCommitMessage] = {
    val format = WriteFormat.of(fileFormat).get
    val asked = WriteOptions(options, conf)
    val written = WrittenColumns.of(child, spec.description, format, asked)
    val write = BroadheadFileWrite(spec.description, format, asked, child, written)(
      engineMetrics,
      fragmentMetrics)
    if (spec.description.statsTrackers.forall(_.isInstanceOf[BasicWriteJobStatsTracker])) {
      EncodingFallback
        .encoded(write)
        .flatMap(tableFiles(_, spec, format.isLines))
        .getOrElse(bySpark(spec))
    } else {
      bySpark(spec)
    }
  }

  /** The tasks that write the files; None if there is no task. */
  private def tableFiles(
      fragment: EncodedFragment,
      spec: WriteFilesSpec,
      isLines: Boolean): Option[RDD[WriterCommitMessage]] = {
    val prepared = FragmentRunner.prepare(fragment)
    // Spark's own write has a task even for no partition, which writes a file without rows.
    Optional.when(prepared.partitions.nonEmpty)(
      new FragmentFilesRDD(sparkContext, prepared, spec, isLines))
  }

  private def bySpark(spec: WriteFilesSpec): RDD[WriterCommitMessage] =
    WriteFilesExec(
      ReplayPlan.whole(FragmentEncoder.originalOf(child)),
      fileFormat,
      partitionColumns,
      bucketSpec,
      options,
      staticPartitions).executeWrite(spec)

  protected override def stringArgs: Iterator[Any] = Iterator(child)
}

/**
 * The root of a fragment that writes table files; made when the job is known, so in no plan.
 *
 * @param rows the rows that Spark would write
 * @param child the same rows with the columns that the engine's writer takes
 */
private[broadhead] case class BroadheadFileWrite(
    job: WriteJobDescription,
    format: WriteFormat,
    options: WriteOptions,
    rows: SparkPlan,
    child: SparkPlan)(ofOperator: Map[String, SQLMetric], ofFragment: Map[String, SQLMetric])
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "FileWrite"

  override lazy val engineMetrics: Map[String, SQLMetric] = ofOperator

  override lazy val fragmentMetrics: Map[String, SQLMetric] = ofFragment

  override def keepsOrder: Boolean = rows match {
    case node: FragmentNode => node.keepsOrder
    case _ => false
  }

  @transient override lazy val original: SparkPlan = FragmentEncoder.originalOf(rows)

  /** A column without nulls may still be one that the table declares with them. */
  @transient override lazy val output: Seq[Attribute] = {
    val declared = AttributeMap(job.allColumns.map(column => column -> column.nullable))
    child.output.map(column => declared.get(column).fold(column)(column.withNullability))
  }

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val rows: AttributeSeq = output
    def ordinals(columns: Seq[Attribute]) =
      Json.array(columns.map(column => Json.number(rows.indexOf(column.exprId).toLong)))
    Seq(
      "format" -> Json.text(format.name),
      "options" -> Json.obj(format.settings(job, options): _*),
      "dataColumns" -> ordinals(job.dataColumns),
      "partitionColumns" -> ordinals(FileRow.columns(job)),
      "firstColumns" -> ordinals(FileRow.columns(job)),
      "nanColumns" -> Json.array(Nil),
      "maxRecords" -> Json.number(job.maxRecordsPerFile),
      "targetBytes" -> Json.number(0L),
      "statistics" -> Json.array(Nil))
  }

  protected override def otherCopyArgs: Seq[AnyRef] = Seq(ofOperator, ofFragment)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadFileWrite =
    copy(child = newChild)(ofOperator, ofFragment)
}

/** The columns that the engine's writer takes. */
private object WrittenColumns {

  /** The plan with values as the format writes them, and with the bucket of each row. */
  def of(
      rows: SparkPlan,
      job: WriteJobDescription,
      format: WriteFormat,
      options: WriteOptions): SparkPlan = {
    val data = AttributeSet(job.dataColumns)
    val values = rows.output.map { column =>
      if (data.contains(column)) named(format.value(column, options), column) else column
    }
    val buckets = job.bucketSpec.map(spec => named(spec.bucketIdExpression, FileRow.Bucket))
    val columns = values ++ buckets
    if (columns == rows.output) rows else BroadheadProject(columns, rows)
  }

  private def named(value: Expression, column: Attribute): NamedExpression =
    if (value == column) column else Alias(value, column.name)(column.exprId)
}

private[broadhead] object WriteFilesCase extends OperatorCase[WriteFilesExec] {
  override def name: String = "WriteFiles"

  /** Spark's rows would have to go to Python only to be encoded. */
  override def needsOurInput: Boolean = true

  override def endsFragment: Boolean = true

  override def reasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] =
    WriteFormat.of(write.fileFormat) match {
      case None => Seq(s"files of the format ${write.fileFormat} are not written")
      case Some(format) =>
        layoutReasons(write) ++ bucketReasons(write, support) ++
          write.child.output.flatMap(support.columnReasons) ++ format.reasons(write, support)
    }

  private def layoutReasons(write: WriteFilesExec): Seq[String] =
    Reasons.when(write.conf.maxConcurrentOutputFileWriters > 0)(
      "several files of a task are written at the same time " +
        "(spark.sql.maxConcurrentOutputFileWriters)") ++
      write.partitionColumns.filterNot(column => isPartitionType(column.dataType)).map { column =>
        s"partitions by ${column.name}, a ${column.dataType.sql}, are not written"
      }

  private def bucketReasons(write: WriteFilesExec, support: ExpressionSupport): Seq[String] =
    V1WritesUtils
      .getWriterBucketSpec(write.bucketSpec, WriteFormat.dataColumns(write), write.options)
      .toSeq
      .flatMap(spec => support.reasons(spec.bucketIdExpression))

  /** Whether the engine finds out where the values of such a column change. */
  def isPartitionType(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | DateType | TimestampType |
        TimestampNTZType =>
      true
    case _: DecimalType | _: StringType => true
    case _ => false
  }

  override def convert(write: WriteFilesExec, children: Seq[SparkPlan]): SparkPlan =
    new BroadheadWriteFiles(
      children.head,
      write.fileFormat,
      write.partitionColumns,
      write.bucketSpec,
      write.options,
      write.staticPartitions)
}
