package org.apache.spark.sql.broadhead.versions

import java.nio.ByteBuffer

import org.apache.hadoop.fs.FSDataInputStream

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.api.python.PythonAccumulatorV2
import org.apache.spark.sql.{Dataset, SparkSession}
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.arrow.ArrowConverters
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.python._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Spark 3.5. */
private[broadhead] object CompiledSpark extends SparkApi {
  private val MinMemoryOverhead = 384L

  override type Session = SparkSession
  override type PythonAccumulator = PythonAccumulatorV2
  override type HttpRequest = javax.servlet.http.HttpServletRequest
  override type FlatMapGroups = FlatMapGroupsInPandasExec
  override type FlatMapCoGroups = FlatMapCoGroupsInPandasExec

  override def activeSession: Session = SparkSession.active

  override def datasetClass: Class[_] = classOf[Dataset[_]]

  override def isCollated(string: StringType): Boolean = false

  override def equalsByBytes(string: StringType): Boolean = true

  override def collationName(string: StringType): String = throw noCollations

  override def collationKeys(name: String): UTF8String => Array[Byte] = throw noCollations

  private def noCollations = new UnsupportedOperationException("Spark 3.5 has no collations")

  override def collatedString(expression: Expression): Option[Expression] = None

  override def randomText(expression: Expression): Option[(Expression, Expression)] = None

  override def isVariable(expression: Expression): Boolean = false

  override def errorMessage(raised: RaiseError): Expression = raised.child

  override def compareBytes(left: UTF8String, right: UTF8String): Int = left.compareTo(right)

  override def supportsHashAggregate(
      buffers: Seq[Attribute],
      grouping: Seq[Expression]): Boolean =
    Aggregate.supportsHashAggregate(buffers)

  override def supportsObjectHashAggregate(
      aggregates: Seq[AggregateExpression],
      grouping: Seq[Expression]): Boolean =
    Aggregate.supportsObjectHashAggregate(aggregates)

  override def broadcastSubquery(
      open: SubqueryAdaptiveBroadcastExec,
      broadcast: SparkPlan): SubqueryBroadcastExec =
    SubqueryBroadcastExec(open.name, open.index, open.buildKeys, broadcast)

  override def scanOf(
      relation: HadoopFsRelation,
      output: Seq[Attribute],
      columns: StructType,
      filters: Seq[Expression]): FileSourceScanExec =
    FileSourceScanExec(
      relation,
      output,
      columns,
      Nil,
      None,
      None,
      filters,
      None,
      disableBucketedScan = true)

  override def isArrow(map: MapInBatchExec): Boolean = map.isInstanceOf[PythonMapInArrowExec]

  override def mapFields(map: MapInBatchExec): MapInPythonFields = map match {
    case MapInPandasExec(udf: PythonUDF, _, _, isBarrier) =>
      MapInPythonFields(udf, isBarrier, None)
    case PythonMapInArrowExec(udf: PythonUDF, _, _, isBarrier) =>
      MapInPythonFields(udf, isBarrier, None)
    case other => throw new IllegalStateException(s"${other.nodeName} calls no Python function")
  }

  override def mapInPython(
      fields: MapInPythonFields,
      output: Seq[Attribute],
      child: SparkPlan,
      inArrow: Boolean): SparkPlan =
    if (inArrow) PythonMapInArrowExec(fields.udf, output, child, fields.isBarrier)
    else MapInPandasExec(fields.udf, output, child, fields.isBarrier)

  override def isArrowOfGroups(map: FlatMapGroups): Boolean = false

  override def flatMapGroups(
      grouping: Seq[Attribute],
      function: Expression,
      output: Seq[Attribute],
      child: SparkPlan,
      inArrow: Boolean): SparkPlan =
    FlatMapGroupsInPandasExec(grouping, function, output, child)

  override def isArrowOfPairs(map: FlatMapCoGroups): Boolean = false

  override def flatMapCoGroups(
      leftGroup: Seq[Attribute],
      rightGroup: Seq[Attribute],
      function: Expression,
      output: Seq[Attribute],
      left: SparkPlan,
      right: SparkPlan,
      inArrow: Boolean): SparkPlan =
    FlatMapCoGroupsInPandasExec(leftGroup, rightGroup, function, output, left, right)

  override def partitionColumns(function: PythonUDTF): Seq[Int] = Nil

  override def analyzeResult(function: PythonUDTF): Option[Array[Byte]] = None

  override def pythonProfiler(conf: SQLConf): Option[String] = None

  override def emptyBatch(
      schema: StructType,
      timeZone: String,
      failOnDuplicates: Boolean,
      largeStrings: Boolean): Array[Byte] =
    ArrowConverters.createEmptyArrowBatch(schema, timeZone, failOnDuplicates)

  override def widensParquet: Boolean = false

  /** The first releases of 3.5 have the parameter alone. */
  override def prunesColumns(csv: CSVOptions, columns: StructType): Boolean = {
    val present = csv.getClass.getMethods.map(_.getName).toSet
    val name = Seq("isColumnPruningEnabled", "columnPruning").filter(present).head
    VersionedSpark.withDefaults[Boolean](csv, name, Nil)
  }

  override def cancelJobs(context: SparkContext, tag: String, reason: String): Unit =
    context.cancelJobsWithTag(tag)

  override def minMemoryOverhead(conf: SparkConf): Long = MinMemoryOverhead

  override def readsVectors(stream: FSDataInputStream): Boolean = false

  override def readVectors(stream: FSDataInputStream, ranges: Seq[(Long, Int)]): Seq[ByteBuffer] =
    throw new UnsupportedOperationException("the Hadoop of Spark 3.5 reads one range in a call")
}
