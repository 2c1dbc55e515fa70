package org.apache.spark.sql.broadhead.write

import java.io.ObjectOutputStream

import scala.reflect.ClassTag

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.{DeterministicLevel, RDD}
import org.apache.spark.sql.broadhead.fragment.{FragmentOperator, FragmentRDD}
import org.apache.spark.sql.broadhead.results.{ArrowMessage, ArrowRequest}
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Spark's `ColumnarToRowExec` at the end of a query with a fragment at its root: rows for callers
 * that need rows, and the worker's own Arrow messages if Spark would only convert the rows to
 * Arrow again.
 */
case class BroadheadColumnarToRow(child: SparkPlan) extends ColumnarToRowTransition {
  @transient private lazy val source = ResultSource(child)

  // Operators take the session of the thread that creates them, which may have none.
  @transient private lazy val transition =
    session.withActive(CollapseCodegenStages()(ColumnarToRowExec(source)))

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  private lazy val arrowRows =
    SQLMetrics.createMetric(sparkContext, "number of rows returned as Arrow")

  override lazy val metrics: Map[String, SQLMetric] =
    transition.collect { case rows: ColumnarToRowExec => rows.metrics }.flatten.toMap +
      ("numArrowRows" -> arrowRows)

  protected override def doExecute(): RDD[InternalRow] = {
    val rows = transition.execute()
    source.batches match {
      case fragment: FragmentRDD if fragment.hasReplay =>
        new ResultRDD(rows, fragment, child, arrowRows)
      case _ => rows
    }
  }

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadColumnarToRow =
    copy(child = newChild)
}

/** The batches of a fragment, computed once for rows and for Arrow. */
private case class ResultSource(fragment: SparkPlan) extends LeafExecNode {
  @transient lazy val batches: RDD[ColumnarBatch] = fragment.executeColumnar()

  override def output: Seq[Attribute] = fragment.output

  override def supportsColumnar: Boolean = true

  protected override def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException(
      "the result of a fragment can only be read in columns")

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] = batches
}

private[broadhead] object BroadheadColumnarToRow {

  /** The plan with this node if the rows of a fragment are those of the whole plan. */
  def atEnd(plan: SparkPlan): SparkPlan = plan match {
    case ColumnarToRowExec(fragment: FragmentOperator) => BroadheadColumnarToRow(fragment)
    case other => other
  }
}

/**
 * The rows of a query's result, which is Arrow on request, and a file for a job that writes
 * tables of Delta Lake or Iceberg.
 */
private[broadhead] class ResultRDD(
    rows: RDD[InternalRow],
    fragment: FragmentRDD,
    @transient root: SparkPlan,
    arrowRows: SQLMetric)
    extends RDD[InternalRow](rows) {
  private var write: Option[ResultWrite] = None

  override protected def getPartitions: Array[Partition] = rows.partitions

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] =
    write match {
      case Some(files) => fragment.made(split, context)(files.rows(_, _, _, context))
      case None => rows.iterator(split, context)
    }

  /** Spark serializes the last RDD of a job once, when it knows what the job does with it. */
  private def writeObject(out: ObjectOutputStream): Unit = {
    write = root match {
      case operator: FragmentOperator => WritingJobs.of(this, operator)
      case _ => None
    }
    out.defaultWriteObject()
  }

  override def mapPartitionsInternal[U: ClassTag](
      function: Iterator[InternalRow] => Iterator[U],
      preservesPartitioning: Boolean = false): RDD[U] =
    ArrowRequest.of(function).filter(_.fits(fragment.output)) match {
      case Some(request) => new ArrowResultRDD[U](fragment, request, function, arrowRows)
      case None => super.mapPartitionsInternal(function, preservesPartitioning)
    }
}

/**
 * A fragment's result in the requested Arrow form.
 *
 * @param ofRows Spark's own function, for rows of a replay
 */
private class ArrowResultRDD[U: ClassTag](
    fragment: FragmentRDD,
    request: ArrowRequest,
    ofRows: Iterator[InternalRow] => Iterator[U],
    arrowRows: SQLMetric)
    extends RDD[U](fragment.sparkContext, fragment.dependencies) {

  override protected def getPartitions: Array[Partition] = fragment.partitions

  override protected def getOutputDeterministicLevel: DeterministicLevel.Value =
    fragment.outputDeterministicLevel

  override def compute(split: Partition, context: TaskContext): Iterator[U] =
    fragment.messages(split, context, request.limits) match {
      case Left(rows) => ofRows(rows)
      case Right(messages) =>
        val counted = messages.map { message =>
          arrowRows.add(ArrowMessage.rows(message))
          message
        }
        request.answers(counted).asInstanceOf[Iterator[U]]
    }
}
