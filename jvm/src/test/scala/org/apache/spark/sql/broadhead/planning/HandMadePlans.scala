package org.apache.spark.sql.broadhead.planning

import org.apache.hadoop.fs.Path

import io.broadhead.Settings

import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.broadhead.shuffle.BroadheadShuffleExchange
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.Range
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, PartitionDirectory}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec, ShuffleOrigin}
import org.apache.spark.sql.types._

/** Plans that are made by hand and never run: tables have a size and no files. */
trait HandMadePlans extends munit.FunSuite {
  val key: AttributeReference = AttributeReference("k", LongType)()
  val number: AttributeReference = AttributeReference("v", LongType)()

  override def beforeEach(context: BeforeEach): Unit =
    SparkSession.setActiveSession(HandMadePlans.session.newSession())

  /** Sets keys of the session until the test ends. */
  def set(keys: (String, String)*): Unit =
    keys.foreach { case (name, value) => HandMadePlans.active.conf.set(name, value) }

  /** The settings of the session as it is set now. */
  def settings: Settings = new Settings(HandMadePlans.active.sessionState.conf)

  /** A scan of a Parquet table of two columns. */
  def scan(
      bytes: Long = 1L << 30,
      columns: Seq[AttributeReference] = Seq(key, number)): FileSourceScanExec = {
    val table = StructType(Seq(StructField("k", LongType), StructField("v", LongType)))
    val read = StructType(columns.map(c => StructField(c.name, c.dataType)))
    val relation = HadoopFsRelation(
      new FilesOfSize(bytes),
      new StructType,
      table,
      None,
      new ParquetFileFormat,
      Map.empty)(HandMadePlans.active)
    FileSourceScanExec(
      relation,
      None,
      columns,
      read,
      Nil,
      None,
      None,
      Nil,
      None,
      disableBucketedScan = false)
  }

  def numbers(end: Long): RangeExec = RangeExec(Range(0, end, 1, Some(2)))

  def filter(child: SparkPlan): FilterExec =
    FilterExec(GreaterThan(child.output.last, Literal(7L)), child)

  def localRows: LocalTableScanExec = LocalTableScanExec(Seq(key, number), Nil, None)

  def sorted(child: SparkPlan): SortExec =
    SortExec(Seq(SortOrder(child.output.head, Ascending)), global = false, child)

  def shuffled(
      child: SparkPlan,
      partitions: Int = 200,
      origin: ShuffleOrigin = ENSURE_REQUIREMENTS): ShuffleExchangeExec =
    ShuffleExchangeExec(HashPartitioning(child.output.take(1), partitions), child, origin)

  /** As `shuffled`, when it has become ours. */
  def ourShuffle(
      child: SparkPlan,
      partitions: Int = 200,
      origin: ShuffleOrigin = ENSURE_REQUIREMENTS): BroadheadShuffleExchange =
    BroadheadShuffleExchange(
      HashPartitioning(child.output.take(1), partitions),
      child,
      origin,
      None)

  /** The first phase of the sum of `v`, of all rows or for each `k`. */
  def partialSum(child: SparkPlan, keys: Seq[AttributeReference] = Seq(key)): HashAggregateExec =
    phase(Partial, child, keys, keys ++ total.aggregateFunction.inputAggBufferAttributes)

  /** The last phase. */
  def finalSum(child: SparkPlan, keys: Seq[AttributeReference] = Seq(key)): HashAggregateExec =
    phase(Final, child, keys, keys :+ total.resultAttribute)

  private lazy val total = AggregateExpression(Sum(number), Complete, isDistinct = false)

  private def phase(
      mode: AggregateMode,
      child: SparkPlan,
      keys: Seq[AttributeReference],
      output: Seq[NamedExpression]): HashAggregateExec =
    HashAggregateExec(
      None,
      isStreaming = false,
      None,
      keys,
      Seq(total.copy(mode = mode)),
      Seq(total.resultAttribute),
      if (mode == Partial) 0 else keys.length,
      output,
      child)
}

private object HandMadePlans {

  /** One for all suites: it takes as long to start as all their tests. */
  lazy val session: classic.SparkSession = classic.SparkSession
    .builder()
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir"))
    .getOrCreate()

  def active: classic.SparkSession =
    SparkSession.active.asInstanceOf[classic.SparkSession]
}

/** Files that are not there. */
private class FilesOfSize(override val sizeInBytes: Long) extends FileIndex {
  override def rootPaths: Seq[Path] = Seq(new Path("/not/there"))

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]): Seq[PartitionDirectory] = Nil

  override def inputFiles: Array[String] = Array.empty

  override def refresh(): Unit = ()

  override def partitionSchema: StructType = new StructType
}
