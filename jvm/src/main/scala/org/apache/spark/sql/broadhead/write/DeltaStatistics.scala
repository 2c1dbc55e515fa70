package org.apache.spark.sql.broadhead.write

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, DeclarativeAggregate, Partial}
import org.apache.spark.sql.execution.datasources.{BasicWriteJobStatsTracker, WriteJobStatsTracker, WriteTaskStatsTracker}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * What Delta Lake counts of each file: aggregates of its rows, whose buffers its tracker keeps until
 * the file is closed, and then makes the statistics in the log of them.
 *
 * @param columns the columns of the rows
 * @param aggregates in the order of their buffers
 */
private[broadhead] case class DeltaStatistics(
    columns: Seq[Attribute],
    aggregates: Seq[AggregateExpression]) {

  /** The buffers of all aggregates. */
  def buffers: StructType =
    StructType(aggregates.flatMap(_.aggregateFunction.aggBufferAttributes).map { buffer =>
      StructField(buffer.name, buffer.dataType, buffer.nullable)
    })

  /** The aggregates over other columns that have the same values. */
  def over(rows: Seq[Attribute]): Seq[AggregateExpression] =
    aggregates.map(_.transform { case column: Attribute =>
      rows(columns.indexWhere(_.exprId == column.exprId))
    }.asInstanceOf[AggregateExpression])
}

private[broadhead] object DeltaStatistics {
  private val Tracker = "org.apache.spark.sql.delta.stats.DeltaJobStatisticsTracker"
  private val TaskTracker = "org.apache.spark.sql.delta.stats.DeltaTaskStatisticsTracker"

  /** What the trackers count; none if one of them is not known. */
  def of(trackers: Seq[WriteJobStatsTracker]): Option[DeltaStatistics] = {
    val (ofDelta, others) = trackers.partition(_.getClass.getName == Tracker)
    val known = others.forall(_.getClass == classOf[BasicWriteJobStatsTracker])
    ofDelta match {
      case _ if !known => None
      case Seq() => Some(DeltaStatistics(Nil, Nil))
      case Seq(tracker) => ofTracker(tracker)
      case _ => None
    }
  }

  private def ofTracker(tracker: WriteJobStatsTracker): Option[DeltaStatistics] = Try {
    // The task sets the buffers.
    buffersMethod(Class.forName(TaskTracker, false, tracker.getClass.getClassLoader))
    val columns = member(tracker, "dataCols").asInstanceOf[Seq[Attribute]]
    val result = member(tracker, "statsColExpr").asInstanceOf[Expression]
    DeltaStatistics(
      columns,
      result.collect { case call @ AggregateExpression(_: DeclarativeAggregate, _, _, _, _) =>
        call.copy(mode = Partial)
      })
  }.toOption

  private def member(tracker: WriteJobStatsTracker, name: String) =
    tracker.getClass.getMethod(name).invoke(tracker)

  private def buffersMethod(tracker: Class[_]) = tracker.getMethod("submittedFiles")

  /** Whether the tracker of a task counts Delta's statistics. */
  def isCountedBy(tracker: WriteTaskStatsTracker): Boolean =
    tracker.getClass.getName == TaskTracker

  /** Gives such a tracker the buffers of a file that it knows. */
  def set(
      tracker: WriteTaskStatsTracker,
      file: String,
      values: InternalRow,
      schema: StructType): Unit = {
    val files = buffersMethod(tracker.getClass)
      .invoke(tracker)
      .asInstanceOf[mutable.Map[String, InternalRow]]
    val buffer = files(file)
    schema.indices.foreach { ordinal =>
      if (values.isNullAt(ordinal)) buffer.setNullAt(ordinal)
      else buffer.update(ordinal, values.get(ordinal, schema(ordinal).dataType))
    }
  }
}
