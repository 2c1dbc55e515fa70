package org.apache.spark.sql.broadhead.operators

import java.util.concurrent.{Future, TimeoutException, TimeUnit}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.{Future => ScalaFuture, Promise}
import scala.util.control.NonFatal

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.broadcast.{BroadcastContent, LazyRelationBroadcast}
import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, BroadheadRowSource, InputOrder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastMode, BroadcastPartitioning, Partitioning}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.errors.QueryExecutionErrors
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.broadhead.BroadcastThreads
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.LongType
import org.apache.spark.unsafe.map.BytesToBytesMap
import org.apache.spark.util.SparkFatalException

/**
 * Spark's `BroadcastExchangeExec` with Arrow messages for the engine.
 *
 * The driver keeps the rows in the engine's format and does not convert them to Spark's, unless
 * an operator of Spark needs its relation.
 */
case class BroadheadBroadcastExchange(mode: BroadcastMode, child: SparkPlan)
    extends BroadcastExchangeLike
    with BroadheadOperator {

  override def endsFragment: Boolean = true

  override def inputOrder: InputOrder = InputOrder.Ignored

  override def nodeName: String = "BroadheadBroadcastExchange"

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "collectTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to collect"),
    "buildTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to build"),
    "broadcastTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to broadcast"))

  override def outputPartitioning: Partitioning = BroadcastPartitioning(mode)

  protected override def doCanonicalize(): SparkPlan =
    BroadheadBroadcastExchange(mode.canonicalized, child.canonicalized)

  override def runtimeStatistics: Statistics =
    Statistics(metrics("dataSize").value, Some(metrics("numOutputRows").value))

  @transient private lazy val promise = Promise[Broadcast[Any]]()

  @transient override lazy val completionFuture: ScalaFuture[Broadcast[Any]] = promise.future

  @transient private val timeout = conf.broadcastTimeout

  @transient override lazy val relationFuture: Future[Broadcast[Any]] =
    SQLExecution.withThreadLocalCaptured[Broadcast[Any]](session, BroadcastThreads.pool) {
      try {
        sparkContext.addJobTag(jobTag)
        sparkContext.setInterruptOnCancel(true)
        val made = makeBroadcast()
        promise.trySuccess(made)
        made
      } catch {
        case error: Throwable =>
          val failure = failureOf(error)
          promise.tryFailure(failure)
          throw failure
      }
    }

  /** Fatal errors would be lost in a future. */
  private def failureOf(error: Throwable): Throwable = error match {
    case memory: OutOfMemoryError =>
      val tables = child.collect { case scan: FileSourceScanExec => scan.tableIdentifier }.flatten
      new SparkFatalException(
        QueryExecutionErrors.notEnoughMemoryToBuildAndBroadcastTableError(memory, tables))
    case NonFatal(other) => other
    case fatal => new SparkFatalException(fatal)
  }

  private def makeBroadcast(): Broadcast[Any] = {
    val kept = BroadcastRows.kept(child)
    val chunks = timed("collectTime")(BroadcastRows.collect(child))
    val rows = chunks.map(_.rows).sum
    longMetric("numOutputRows") += rows
    if (rows >= maxRows) {
      throw QueryExecutionErrors.cannotBroadcastTableOverMaxTableRowsError(maxRows, rows)
    }
    val size = chunks.map(_.rowBytes).sum
    longMetric("dataSize") += size
    if (size >= maxBytes) {
      throw QueryExecutionErrors.cannotBroadcastTableOverMaxTableBytesError(maxBytes, size)
    }
    val content = timed("broadcastTime")(BroadcastContent.broadcast(chunks, kept, sparkContext))
    val executionId = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, executionId, metrics.values.toList)
    new LazyRelationBroadcast(content, mode, DataTypeUtils.fromAttributes(child.output), rows)
  }

  private def timed[T](metric: String)(body: => T): T = {
    val start = System.nanoTime()
    val result = body
    longMetric(metric) += NANOSECONDS.toMillis(System.nanoTime() - start)
    result
  }

  /** Spark's own limits, since its operators may need their relation. */
  private def maxRows: Long = mode match {
    case HashedRelationBroadcastMode(keys, _)
        if !(keys.length == 1 && keys.head.dataType == LongType) =>
      (BytesToBytesMap.MAX_CAPACITY / 1.5).toLong
    case _ => BroadheadBroadcastExchange.MaxRows
  }

  private def maxBytes: Long = JavaUtils.byteStringAsBytes(
    conf.getConfString(
      BroadheadBroadcastExchange.MaxBytesKey,
      BroadheadBroadcastExchange.DefaultMaxBytes))

  protected override def doPrepare(): Unit = {
    relationFuture
    ()
  }

  protected override def doExecute(): RDD[InternalRow] =
    throw QueryExecutionErrors.executeCodePathUnsupportedError("BroadcastExchange")

  override protected[sql] def doExecuteBroadcast[T](): Broadcast[T] =
    try relationFuture.get(timeout, TimeUnit.SECONDS).asInstanceOf[Broadcast[T]]
    catch {
      case error: TimeoutException =>
        logError(s"Could not execute broadcast in $timeout secs.", error)
        if (!relationFuture.isDone) {
          CompiledSpark.cancelJobs(
            sparkContext,
            jobTag,
            "The corresponding broadcast query has failed.")
          relationFuture.cancel(true)
        }
        throw QueryExecutionErrors.executeBroadcastTimeoutError(timeout, Some(error))
    }

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadBroadcastExchange =
    copy(child = newChild)
}

private[broadhead] object BroadheadBroadcastExchange {
  private val MaxRows = 512000000L
  private val MaxBytesKey = "spark.sql.maxBroadcastTableSize"
  private val DefaultMaxBytes = "8GB"

  /** The broadcast exchange of a plan, if it is one of Broadhead's. */
  def find(plan: SparkPlan): Option[BroadheadBroadcastExchange] = plan match {
    case exchange: BroadheadBroadcastExchange => Some(exchange)
    case ReusedExchangeExec(_, exchange) => find(exchange)
    case stage: BroadcastQueryStageExec => find(stage.plan)
    case _ => None
  }
}

private[broadhead] object BroadcastExchangeCase extends OperatorCase[BroadcastExchangeExec] {
  override def name: String = "BroadcastExchange"

  override def worksOnNumbers(plan: BroadcastExchangeExec): Boolean = false

  override def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Ignored

  override def endsFragment: Boolean = true

  override def reasons(exchange: BroadcastExchangeExec, support: ExpressionSupport): Seq[String] =
    exchange.child.output.flatMap(support.columnReasons)

  override def convert(exchange: BroadcastExchangeExec, children: Seq[SparkPlan]): SparkPlan = {
    val child = children.head match {
      case BroadheadRowSource(rows) => rows
      case other => other
    }
    BroadheadBroadcastExchange(exchange.mode, child)
  }
}
