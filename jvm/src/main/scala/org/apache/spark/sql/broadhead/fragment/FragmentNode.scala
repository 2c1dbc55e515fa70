package org.apache.spark.sql.broadhead.fragment

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.SparkContext
import org.apache.spark.api.python.PythonFunction
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.ExpressionEncoder
import org.apache.spark.sql.broadhead.execution.{FallbackTimes, PoissonSample}
import org.apache.spark.sql.broadhead.gpu.ExecutionTarget
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A node of a fragment: an operator of Broadhead, or a source of rows from Spark. */
private[broadhead] trait FragmentNode extends SparkPlan {

  /** Spark's name of the operator, as in the wire format and in the settings. */
  def operatorName: String

  /** The fields of this node in the wire format, besides its output and its children. */
  def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)]

  /** The operators of Spark that return the same rows, over the current children. */
  def original: SparkPlan

  /** The engine's metrics of this node, by their names in the wire format. */
  def engineMetrics: Map[String, SQLMetric]

  /** The nodes below this one in the engine. */
  def engineChildren: Seq[SparkPlan] = children

  /** Waits for the values of the scalar subqueries in this node's expressions. */
  def awaitSubqueries(): Unit = waitForSubqueries()

  /** The tasks of the fragment up to this node, from those of the nodes below it. */
  def layout(id: Int, below: Seq[TaskLayout]): TaskLayout = TaskLayout.together(below)

  /** Whether it distributes its rows anew, so that nothing above relies on its tasks. */
  def distributes: Boolean = false

  /** The numbers of a sample with replacement, drawn by the JVM. */
  def poisson: Option[PoissonSample] = None

  /**
   * Whether Spark's operators up to this one return the rows that they keep in the order of the
   * input. A replay can then skip the rows that the engine has returned.
   */
  def keepsOrder: Boolean = false

  /** The same of all nodes below it. */
  protected def inputKeepsOrder: Boolean = engineChildren.forall {
    case node: FragmentNode => node.keepsOrder
    case _ => false
  }

  /**
   * Whether Spark's scheduler repeats all tasks of a stage because rows of the operator depend on
   * the order of the input. It does not for Python functions: if it did, the loss of an executor
   * could end a query that has already returned rows.
   */
  def dependsOnOrder: Boolean = false

  override def supportsColumnar: Boolean = true
}

/** A leaf of a fragment whose data have a source's number: rows, shuffle blocks, broadcasts. */
private[broadhead] trait FragmentSource extends FragmentNode {

  /** Its data on the driver; `node` is its id. */
  def data(node: Int): SourceData
}

/** A node that calls the user's Python functions. */
private[broadhead] trait CallsFunctions extends FragmentNode {

  def functions: Seq[PythonFunction]

  /** Where they run on a host with a GPU. */
  def target: ExecutionTarget

  /** The calls inside functions that fell back from the GPU. */
  @transient lazy val fallbackTimes: FallbackTimes = {
    val times = new FallbackTimes
    sparkContext.register(times)
    times
  }
}

/** An operator of Broadhead in Spark's plan; the defaults are correct for any of them. */
private[broadhead] trait BroadheadOperator extends SparkPlan {

  /** Whether it is part of a fragment when a plan is planned again. */
  def isInFragment: Boolean = true

  /** Whether the operator above it belongs to another fragment. */
  def endsFragment: Boolean = false

  /** The use of its input's order. */
  def inputOrder: InputOrder = InputOrder.Used

  /** Whether the number of its tasks has a meaning, so that one task cannot do the work of all. */
  def fixesTasks: Boolean = false

  /** Whether it may return far fewer rows than it reads. */
  def mayReduce: Boolean = false
}

/**
 * An operator that runs in the engine.
 *
 * The topmost executed operator of a fragment is the root: it encodes and runs all operators
 * below it.
 */
private[broadhead] trait FragmentOperator extends FragmentNode with BroadheadOperator {

  /** The fragment with this operator as its root; made when it runs, so subqueries are values. */
  @transient lazy val fragment: EncodedFragment = FragmentEncoder.encode(this)

  /** Metrics that only this kind of operator has. */
  protected def ownMetrics: Map[String, SQLMetric] = Map.empty

  override lazy val engineMetrics: Map[String, SQLMetric] =
    ownMetrics ++ FragmentMetrics.ofOperator(sparkContext)

  /** Metrics of the whole fragment, which have values only at its root. */
  lazy val fragmentMetrics: Map[String, SQLMetric] = FragmentMetrics.ofFragment(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] =
    (engineMetrics ++ fragmentMetrics).map {
      case ("rows", metric) => "numOutputRows" -> metric
      case other => other
    }

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    EncodingFallback.encoded(this) match {
      case Some(encoded) => FragmentRunner.execute(encoded)
      case None => EncodingFallback.execute(this)
    }

  protected override def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  /** Spark's text for the original with the operator's name changed, without its first line. */
  protected def describeAs(node: SparkPlan): String = {
    val details = node.verboseStringWithOperatorId().linesIterator.dropWhile(_.isEmpty).drop(1)
    (formattedNodeName +: details.toSeq).mkString("\n", "\n", "\n")
  }
}

/** The metrics that all operators and all fragments have. */
private[broadhead] object FragmentMetrics {

  def ofOperator(context: SparkContext): Map[String, SQLMetric] = Map(
    "rows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "batches" -> SQLMetrics.createMetric(context, "number of output batches"),
    "time" -> SQLMetrics.createNanoTimingMetric(context, "time in the engine"))

  def ofFragment(context: SparkContext): Map[String, SQLMetric] = Map(
    "startTime" -> SQLMetrics.createNanoTimingMetric(context, "time to start the fragment"),
    "encodeTime" -> SQLMetrics.createNanoTimingMetric(context, "time to encode results"),
    "waitTime" -> SQLMetrics.createNanoTimingMetric(context, "time waiting for Spark"),
    "sparkRows" -> SQLMetrics.createMetric(context, "number of values evaluated by Spark"),
    "sparkTime" -> SQLMetrics.createNanoTimingMetric(context, "time of values by Spark"),
    "memoryTime" -> SQLMetrics.createNanoTimingMetric(context, "time waiting for memory"),
    "peakMemory" -> SQLMetrics.createSizeMetric(context, "peak memory of workers"),
    "slotTime" -> SQLMetrics.createNanoTimingMetric(context, "time waiting for a GPU"),
    "device" -> SQLMetrics.createMetric(context, "number of tasks on a GPU"),
    "early" -> SQLMetrics.createMetric(context, "number of tasks before workers were ready"),
    "replays" -> SQLMetrics.createMetric(context, "number of tasks replayed by Spark"))
}
