package org.apache.spark.sql.broadhead.versions

import java.nio.ByteBuffer

import org.apache.hadoop.fs.FSDataInputStream

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.python.MapInBatchExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * What differs between the versions of Spark that these sources are compiled for.
 *
 * `CompiledSpark` has the members for one of them: each is in the folder of its version. So a member
 * that a version does not have is an error of the compiler. What differs between the versions that one
 * jar serves, or between vendors' builds of a version, is in [[VersionedSpark]].
 */
private[versions] trait SparkApi {

  /** The session of an application that has the plans: Spark 4 has another one for its clients. */
  type Session

  /** The accumulator of Python's own accumulators. */
  type PythonAccumulator

  /** A request to Spark's UI: the package of servlets has been renamed. */
  type HttpRequest

  /** Groups mapped by a Python function. */
  type FlatMapGroups <: SparkPlan

  /** Pairs of groups mapped by a Python function. */
  type FlatMapCoGroups <: SparkPlan

  /** The session of this thread. */
  def activeSession: Session

  /** The class whose function makes Arrow of rows: see `ArrowRequest`. */
  def datasetClass: Class[_]

  /** Whether strings of a type are not compared by their bytes; Spark 3.5 has no collations. */
  def isCollated(string: StringType): Boolean

  /** Whether equal strings of a type have equal bytes. */
  def equalsByBytes(string: StringType): Boolean

  /** The name of a type's collation. */
  def collationName(string: StringType): String

  /** The keys by which a collation orders strings. */
  def collationKeys(name: String): UTF8String => Array[Byte]

  /** The string that is given a collation; None for other expressions. */
  def collatedString(expression: Expression): Option[Expression]

  /** Length and seed of `randstr`, which Spark 3.5 does not have; None for other expressions. */
  def randomText(expression: Expression): Option[(Expression, Expression)]

  /** Whether an expression is a variable of the session, which Spark 3.5 does not have. */
  def isVariable(expression: Expression): Boolean

  /** What `raise_error` raises. */
  def errorMessage(raised: RaiseError): Expression

  /** Negative, zero or positive, as the bytes of the strings compare. */
  def compareBytes(left: UTF8String, right: UTF8String): Int

  /** Whether Spark computes aggregates with these buffers by hashing. */
  def supportsHashAggregate(buffers: Seq[Attribute], grouping: Seq[Expression]): Boolean

  /** Whether Spark computes these aggregates by hashing, with objects as buffers. */
  def supportsObjectHashAggregate(
      aggregates: Seq[AggregateExpression],
      grouping: Seq[Expression]): Boolean

  /** The values of a broadcast for a subquery that adaptive execution has left open. */
  def broadcastSubquery(
      open: SubqueryAdaptiveBroadcastExec,
      broadcast: SparkPlan): SubqueryBroadcastExec

  /** A scan of all files of a relation, by the data source API V1. */
  def scanOf(
      relation: HadoopFsRelation,
      output: Seq[Attribute],
      columns: StructType,
      filters: Seq[Expression]): FileSourceScanExec

  /** Whether a Python function gets Arrow's batches, not frames of pandas. */
  def isArrow(map: MapInBatchExec): Boolean

  /** The fields of either of Spark's operators of `mapInPandas` and `mapInArrow`. */
  def mapFields(map: MapInBatchExec): MapInPythonFields

  /** The operator of `mapInPandas` or `mapInArrow`. */
  def mapInPython(
      fields: MapInPythonFields,
      output: Seq[Attribute],
      child: SparkPlan,
      inArrow: Boolean): SparkPlan

  /** Whether a Python function gets Arrow's tables, not frames; Spark 3.5 has frames only. */
  def isArrowOfGroups(map: FlatMapGroups): Boolean

  /** The operator that maps groups. */
  def flatMapGroups(
      grouping: Seq[Attribute],
      function: Expression,
      output: Seq[Attribute],
      child: SparkPlan,
      inArrow: Boolean): SparkPlan

  /** Whether a Python function gets Arrow's tables, not frames; Spark 3.5 has frames only. */
  def isArrowOfPairs(map: FlatMapCoGroups): Boolean

  /** The operator that maps pairs of groups. */
  def flatMapCoGroups(
      leftGroup: Seq[Attribute],
      rightGroup: Seq[Attribute],
      function: Expression,
      output: Seq[Attribute],
      left: SparkPlan,
      right: SparkPlan,
      inArrow: Boolean): SparkPlan

  /** The numbers of the columns by which a table function's rows are divided. */
  def partitionColumns(function: PythonUDTF): Seq[Int]

  /** What a table function's `analyze` has returned, pickled. */
  def analyzeResult(function: PythonUDTF): Option[Array[Byte]]

  /** The profiler of Python functions in a session. */
  def pythonProfiler(conf: SQLConf): Option[String]

  /** An Arrow stream without rows. */
  def emptyBatch(
      schema: StructType,
      timeZone: String,
      failOnDuplicates: Boolean,
      largeStrings: Boolean): Array[Byte]

  /** Whether Parquet columns are read as wider types than those of their files. */
  def widensParquet: Boolean

  /** Whether a parser of CSV reads only these columns. */
  def prunesColumns(csv: CSVOptions, columns: StructType): Boolean

  /** Cancels the jobs with a tag. */
  def cancelJobs(context: SparkContext, tag: String, reason: String): Unit

  /** The least memory of an executor beside its heap, in MiB. */
  def minMemoryOverhead(conf: SparkConf): Long

  /** Whether a file reads several ranges in one call; the Hadoop of Spark 3.5 cannot. */
  def readsVectors(stream: FSDataInputStream): Boolean

  /** The bytes of ranges of a file that reads them in one call. */
  def readVectors(stream: FSDataInputStream, ranges: Seq[(Long, Int)]): Seq[ByteBuffer]
}

/** The fields of `mapInPandas` and `mapInArrow`. */
private[broadhead] case class MapInPythonFields(
    udf: PythonUDF,
    isBarrier: Boolean,
    profile: Option[ResourceProfile])

/** A string that is given a collation. */
private[broadhead] object Collated {
  def unapply(expression: Expression): Option[Expression] =
    CompiledSpark.collatedString(expression)
}

/** A random string: length and seed. */
private[broadhead] object RandomText {
  def unapply(expression: Expression): Option[(Expression, Expression)] =
    CompiledSpark.randomText(expression)
}
