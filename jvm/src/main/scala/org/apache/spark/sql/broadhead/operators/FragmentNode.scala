package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.{EncodedFragment, EncodingFallback, ExpressionEncoder, FragmentEncoder}
import org.apache.spark.sql.broadhead.execution.{FragmentRunner, TaskLayout}
import org.apache.spark.sql.broadhead.planning.InputOrder
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A node of a fragment: one of our operators, or a source of rows from Spark. */
private[broadhead] trait FragmentNode extends SparkPlan {

  /** Spark's name of the operator, as in the wire format and in the settings. */
  def operatorName: String

  /** What the wire format holds of this node, besides its output and its children. */
  def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)]

  /** The operators of Spark that give the same rows, over the current children. */
  def original: SparkPlan

  /** The engine's metrics of this node, by their names in the wire format. */
  def engineMetrics: Map[String, SQLMetric]

  /** What stands below this node in the engine. */
  def engineChildren: Seq[SparkPlan] = children

  /** Lets the scalar subqueries of this node's expressions have their values. */
  def awaitSubqueries(): Unit = waitForSubqueries()

  /** The tasks of the fragment up to this node, from those of the nodes below it. */
  def layout(id: Int, below: Seq[TaskLayout]): TaskLayout = TaskLayout.together(below)

  override def supportsColumnar: Boolean = true
}

/** A leaf of a fragment whose data come by a source's number: rows, shuffle blocks, broadcasts. */
private[broadhead] trait FragmentSource extends FragmentNode

/** An operator of ours in Spark's plan; the defaults are right for any of them. */
private[broadhead] trait BroadheadOperator extends SparkPlan {

  /** Whether it is part of a fragment when a plan is planned again. */
  def isInFragment: Boolean = true

  /** Whether what is above it is another fragment. */
  def endsFragment: Boolean = false

  /** What becomes of the order of its input. */
  def inputOrder: InputOrder = InputOrder.Used

  /** Whether the number of its tasks has a meaning, so that one task cannot do the work of all. */
  def fixesTasks: Boolean = false

  /** Whether it may give far fewer rows than it reads. */
  def mayReduce: Boolean = false
}

/**
 * An operator that runs in the engine.
 *
 * Whichever operator of a fragment is executed is the root: it encodes and runs all below it.
 */
private[broadhead] trait FragmentOperator extends FragmentNode with BroadheadOperator {

  /** The fragment with this operator as its root; made when it runs, so subqueries are values. */
  @transient lazy val fragment: EncodedFragment = FragmentEncoder.encode(this)

  /** Metrics that only this kind of operator has. */
  protected def ownMetrics: Map[String, SQLMetric] = Map.empty

  override lazy val engineMetrics: Map[String, SQLMetric] = ownMetrics ++ Map(
    "rows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "batches" -> SQLMetrics.createMetric(sparkContext, "number of output batches"),
    "time" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in the engine"))

  /** Metrics of the whole fragment, which only its root gets values for. */
  lazy val fragmentMetrics: Map[String, SQLMetric] = Map(
    "startTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time to start the fragment"),
    "encodeTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time to encode results"),
    "waitTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time waiting for Spark"),
    "slotTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time waiting for a GPU"),
    "device" -> SQLMetrics.createMetric(sparkContext, "number of tasks on a GPU"),
    "replays" -> SQLMetrics.createMetric(sparkContext, "number of tasks replayed by Spark"))

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
