package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Literal}
import org.apache.spark.sql.catalyst.optimizer.BuildLeft
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.execution.{SparkPlan, UnionExec}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.LongType

/**
 * The operators that together give the rows of a nested loop join that keeps rows of its broadcast.
 *
 * @param gather brings the places of matching rows from all tasks into one
 */
private[broadhead] class BroadcastJoinParts private (
    join: BroadheadJoin,
    gather: SparkPlan => SparkPlan) {

  private val (broadcast, streamed) =
    if (join.buildSide == BuildLeft) (join.left, join.right) else (join.right, join.left)

  private val place = AttributeReference("place", LongType, nullable = false)()
  private val rows = broadcast.asInstanceOf[BroadheadBroadcastRead].copy(place = Some(place))

  private val matched = BroadheadMatchedBroadcastRows(rows, streamed, join.condition)
  private val found = BroadheadProject(Seq(place), matched)
  private val places = gather(found)

  /** What each task gives for its own rows; none where only rows of the broadcast come out. */
  private val ofTasks: Option[BroadheadJoin] = (join.joinType match {
    case FullOuter => Some(if (join.buildSide == BuildLeft) RightOuter else LeftOuter)
    case LeftOuter | RightOuter => Some(Inner)
    case _ => None
  }).map { joinType =>
    BroadheadBroadcastNestedLoopJoin(
      join.left,
      join.right,
      join.buildSide,
      joinType,
      join.condition)
  }

  private val tested =
    BroadheadBroadcastRowsByMatch(
      if (ofTasks.isDefined) LeftAnti else join.joinType,
      place,
      rows,
      places)

  /** What one task gives for the rows of the broadcast. */
  private val ofBroadcast = BroadheadProject(
    join.output.map { column =>
      if (tested.outputSet.contains(column)) column
      else Alias(Literal(null, column.dataType), column.name)()
    },
    tested)

  def all: Seq[SparkPlan] = ofTasks.toSeq :+ ofBroadcast

  def original: UnionExec = UnionExec(all.map(FragmentEncoder.originalOf))

  /** The metrics of the operator that does the work, and of the one that finds the matches. */
  def engineMetrics: Map[String, SQLMetric] =
    ofTasks.getOrElse(tested).engineMetrics + ("matchTime" -> matched.matchTime)

  /** The metrics of the fragment that finds the matches. */
  def fragmentMetrics: Map[String, SQLMetric] = places match {
    case BroadheadShuffleRead(exchange: BroadheadShuffleExchange, _) => exchange.fragmentMetrics
    case _ => found.fragmentMetrics
  }
}

private[broadhead] object BroadcastJoinParts {

  /** The parts of a join that one task runs. */
  def inOneTask(join: BroadheadJoin): BroadcastJoinParts =
    new BroadcastJoinParts(join, identity)

  /** The parts of a join whose tasks must hear of each other's matches. */
  def inManyTasks(join: BroadheadJoin): BroadcastJoinParts =
    new BroadcastJoinParts(join, SinglePartitionRows.of)
}
