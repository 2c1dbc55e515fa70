package org.apache.spark.sql.broadhead.versions

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{FileRange, FSDataInputStream, StreamCapabilities}

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.api.python.PythonFunction
import org.apache.spark.internal.config.EXECUTOR_MIN_MEMORY_OVERHEAD
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.arrow.ArrowConverters
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.python._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Spark 4.0 to 4.3. */
private[broadhead] object CompiledSpark extends SparkApi {
  override type Session = SparkSession
  override type PythonAccumulator = PythonFunction.PythonAccumulator
  override type HttpRequest = jakarta.servlet.http.HttpServletRequest
  override type FlatMapGroups = FlatMapGroupsInBatchExec
  override type FlatMapCoGroups = FlatMapCoGroupsInBatchExec

  override def activeSession: Session = SparkSession.active

  override def datasetClass: Class[_] = classOf[Dataset[_]]

  /** Spark's INDETERMINATE_COLLATION_ID, of strings from different collations, is negative. */
  override def isCollated(string: StringType): Boolean = string.collationId > 0

  override def equalsByBytes(string: StringType): Boolean = string.supportsBinaryEquality

  override def collationName(string: StringType): String =
    CollationFactory.fetchCollation(string.collationId).collationName

  override def collationKeys(name: String): UTF8String => Array[Byte] = {
    val collation = CollationFactory.collationNameToId(name)
    CollationFactory.getCollationKeyBytes(_, collation)
  }

  override def collatedString(expression: Expression): Option[Expression] = expression match {
    case collate: Collate => Some(collate.child)
    case _ => None
  }

  override def randomText(expression: Expression): Option[(Expression, Expression)] =
    expression match {
      case text: RandStr => Some((text.length, text.seedExpression))
      case _ => None
    }

  override def isVariable(expression: Expression): Boolean =
    expression.isInstanceOf[VariableReference]

  override def errorMessage(raised: RaiseError): Expression = raised.left

  override def compareBytes(left: UTF8String, right: UTF8String): Int = left.binaryCompare(right)

  override def supportsHashAggregate(
      buffers: Seq[Attribute],
      grouping: Seq[Expression]): Boolean =
    Aggregate.supportsHashAggregate(buffers, grouping)

  override def supportsObjectHashAggregate(
      aggregates: Seq[AggregateExpression],
      grouping: Seq[Expression]): Boolean =
    Aggregate.supportsObjectHashAggregate(aggregates, grouping)

  override def broadcastSubquery(
      open: SubqueryAdaptiveBroadcastExec,
      broadcast: SparkPlan): SubqueryBroadcastExec =
    SubqueryBroadcastExec(open.name, open.indices, open.buildKeys, broadcast)

  override def scanOf(
      relation: HadoopFsRelation,
      output: Seq[Attribute],
      columns: StructType,
      filters: Seq[Expression]): FileSourceScanExec =
    VersionedSpark.make[FileSourceScanExec](FileSourceScanExec, relation, None, output, columns,
      Nil, None, None, filters, None, true)

  override def isArrow(map: MapInBatchExec): Boolean = map.isInstanceOf[MapInArrowExec]

  override def mapFields(map: MapInBatchExec): MapInPythonFields = map match {
    case MapInPandasExec(udf: PythonUDF, _, _, isBarrier, profile) =>
      MapInPythonFields(udf, isBarrier, profile)
    case MapInArrowExec(udf: PythonUDF, _, _, isBarrier, profile) =>
      MapInPythonFields(udf, isBarrier, profile)
    case other => throw new IllegalStateException(s"${other.nodeName} calls no Python function")
  }

  override def mapInPython(
      fields: MapInPythonFields,
      output: Seq[Attribute],
      child: SparkPlan,
      inArrow: Boolean): SparkPlan =
    if (inArrow) MapInArrowExec(fields.udf, output, child, fields.isBarrier, fields.profile)
    else MapInPandasExec(fields.udf, output, child, fields.isBarrier, fields.profile)

  override def isArrowOfGroups(map: FlatMapGroups): Boolean =
    map.isInstanceOf[FlatMapGroupsInArrowExec]

  override def flatMapGroups(
      grouping: Seq[Attribute],
      function: Expression,
      output: Seq[Attribute],
      child: SparkPlan,
      inArrow: Boolean): SparkPlan =
    if (inArrow) FlatMapGroupsInArrowExec(grouping, function, output, child)
    else FlatMapGroupsInPandasExec(grouping, function, output, child)

  override def isArrowOfPairs(map: FlatMapCoGroups): Boolean =
    map.isInstanceOf[FlatMapCoGroupsInArrowExec]

  override def flatMapCoGroups(
      leftGroup: Seq[Attribute],
      rightGroup: Seq[Attribute],
      function: Expression,
      output: Seq[Attribute],
      left: SparkPlan,
      right: SparkPlan,
      inArrow: Boolean): SparkPlan =
    if (inArrow) {
      FlatMapCoGroupsInArrowExec(leftGroup, rightGroup, function, output, left, right)
    } else {
      FlatMapCoGroupsInPandasExec(leftGroup, rightGroup, function, output, left, right)
    }

  override def partitionColumns(function: PythonUDTF): Seq[Int] =
    function.pythonUDTFPartitionColumnIndexes.toList.flatMap(_.partitionChildIndexes)

  override def analyzeResult(function: PythonUDTF): Option[Array[Byte]] =
    function.pickledAnalyzeResult

  override def pythonProfiler(conf: SQLConf): Option[String] = conf.pythonUDFProfiler

  override def emptyBatch(
      schema: StructType,
      timeZone: String,
      failOnDuplicates: Boolean,
      largeStrings: Boolean): Array[Byte] =
    ArrowConverters.createEmptyArrowBatch(schema, timeZone, failOnDuplicates, largeStrings)

  override def widensParquet: Boolean = true

  override def prunesColumns(csv: CSVOptions, columns: StructType): Boolean =
    csv.isColumnPruningEnabled(columns)

  override def cancelJobs(context: SparkContext, tag: String, reason: String): Unit =
    context.cancelJobsWithTag(tag, reason)

  override def minMemoryOverhead(conf: SparkConf): Long = conf.get(EXECUTOR_MIN_MEMORY_OVERHEAD)

  override def readsVectors(stream: FSDataInputStream): Boolean =
    stream.hasCapability(StreamCapabilities.VECTOREDIO)

  override def readVectors(
      stream: FSDataInputStream,
      ranges: Seq[(Long, Int)]): Seq[ByteBuffer] = {
    val wanted = ranges.map { case (offset, length) => FileRange.createFileRange(offset, length) }
    stream.readVectored(wanted.asJava, ByteBuffer.allocate(_))
    wanted.map(_.getData.get())
  }
}
