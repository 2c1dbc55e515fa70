package org.apache.spark.sql.broadhead.broadcast

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.FragmentEncoder
import org.apache.spark.sql.broadhead.operators.{BroadheadBroadcastNestedLoopJoin, BroadheadHashJoin, BroadheadJoin, BroadheadNestedLoopJoin, BroadheadProject, SinglePartitionRows}
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleExchange, BroadheadShuffleRead}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeReference, Expression, JoinedRow, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastMode, Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.joins.{BroadcastNestedLoopJoinExec, ShuffledHashJoinExec}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan, UnionExec}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The rows of a broadcast, with their row ids, that match some row of the task's partition.
 *
 * @param left the broadcast
 * @param right the rows, partitioned over the tasks
 */
private[broadhead] case class BroadheadMatchedBroadcastRows(
    left: BroadheadBroadcastRead,
    right: SparkPlan,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin {

  override def joinType: JoinType = LeftSemi

  override def buildSide: BuildSide = BuildLeft

  /** Spark's own semi join would need all tasks, and Spark's inner join repeats a row. */
  @transient override lazy val original: SparkPlan = {
    val pairs = BroadcastNestedLoopJoinExec(
      left.original,
      FragmentEncoder.originalOf(right),
      buildSide,
      Inner,
      condition)
    HashAggregateExec(None, false, None, left.output, Nil, Nil, 0, left.output, pairs)
  }

  lazy val matchTime: SQLMetric =
    SQLMetrics.createNanoTimingMetric(sparkContext, "time to find matching rows")

  override lazy val engineMetrics: Map[String, SQLMetric] = Map("time" -> matchTime)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadMatchedBroadcastRows =
    copy(left = newLeft.asInstanceOf[BroadheadBroadcastRead], right = newRight)
}

/**
 * The rows of a broadcast, selected or flagged by whether their row ids are among the matched
 * ones.
 *
 * @param left the broadcast
 * @param right the matched row ids, in any order, with repeats
 */
private[broadhead] case class BroadheadUnmatchedBuildRows(
    joinType: JoinType,
    place: Attribute,
    left: SparkPlan,
    right: SparkPlan)
    extends BroadheadHashJoin {

  override def buildSide: BuildSide = BuildLeft

  override def leftKeys: Seq[Expression] = Seq(place)

  override def rightKeys: Seq[Expression] = Seq(place)

  override def condition: Option[Expression] = None

  protected override def nullAware: Boolean = false

  /** Spark builds only the right side of such joins. */
  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    ShuffledHashJoinExec(leftKeys, rightKeys, joinType, BuildRight, condition, left, right)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadUnmatchedBuildRows = copy(left = newLeft, right = newRight)
}

/**
 * The operators that together return the rows of a nested loop join with unmatched rows of its
 * broadcast.
 *
 * @param gather moves the row ids of matched rows from all tasks into one
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

  /** The rows of each task for its own rows; None if only broadcast rows are returned. */
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
    BroadheadUnmatchedBuildRows(
      if (ofTasks.isDefined) LeftAnti else join.joinType,
      place,
      rows,
      places)

  /** The rows that one task returns for the broadcast. */
  private val ofBroadcast = BroadheadProject(
    join.output.map { column =>
      if (tested.outputSet.contains(column)) column
      else Alias(Literal(null, column.dataType), column.name)()
    },
    tested)

  def all: Seq[SparkPlan] = ofTasks.toSeq :+ ofBroadcast

  def original: UnionExec = UnionExec(all.map(FragmentEncoder.originalOf))

  /** The metrics of the operator that joins, and of the one that finds the matches. */
  def engineMetrics: Map[String, SQLMetric] =
    ofTasks.getOrElse(tested).engineMetrics + ("matchTime" -> matched.matchTime)

  /** The metrics of the fragment that finds the matches. */
  def fragmentMetrics: Map[String, SQLMetric] = places match {
    case BroadheadShuffleRead(exchange: BroadheadShuffleExchange, _) => exchange.fragmentMetrics
    case _ => found.fragmentMetrics
  }
}

private[broadhead] object BroadcastJoinParts {

  /** The operators of a join that one task runs. */
  def inOneTask(join: BroadheadJoin): BroadcastJoinParts =
    new BroadcastJoinParts(join, identity)

  /** The operators of a join whose tasks need each other's matches. */
  def inManyTasks(join: BroadheadJoin): BroadcastJoinParts =
    new BroadcastJoinParts(join, SinglePartitionRows.of)
}

/**
 * The rows of one of Broadhead's broadcasts with their row ids, as a leaf of the operators kept
 * for replay: in one partition, or for Spark's nested loop join.
 */
private[broadhead] case class BroadcastRowIds(plan: SparkPlan, place: Attribute)
    extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output :+ place

  // With a known partitioning, a union could combine this partition with others.
  override def outputPartitioning: Partitioning = UnknownPartitioning(1)

  protected override def doExecute(): RDD[InternalRow] = {
    val relation = doExecuteBroadcast[Array[InternalRow]]()
    sparkContext.parallelize(Seq(0), 1).mapPartitions(_ => relation.value.iterator)
  }

  override protected[sql] def doExecuteBroadcast[T](): Broadcast[T] =
    plan.executeBroadcast[Any]() match {
      case rows: LazyRelationBroadcast =>
        rows.withMode(RowIdMode(plan.output.map(_.dataType))).asInstanceOf[Broadcast[T]]
      case _ =>
        throw new IllegalStateException(s"${plan.nodeName} is not a broadcast of Broadhead")
    }
}

/**
 * Rows with an additional column: their row id in the broadcast.
 *
 * @param types those of the rows' own columns
 */
private[broadhead] case class RowIdMode(types: Seq[DataType]) extends BroadcastMode {

  override def transform(rows: Array[InternalRow]): Array[InternalRow] =
    transform(rows.iterator, Some(rows.length.toLong))

  // Generated code requires unsafe rows.
  override def transform(
      rows: Iterator[InternalRow],
      sizeHint: Option[Long]): Array[InternalRow] = {
    val project = UnsafeProjection.create((types :+ LongType).toArray)
    rows.zipWithIndex.map { case (row, place) =>
      project(new JoinedRow(row, InternalRow(place.toLong))).copy(): InternalRow
    }.toArray
  }

  override def canonicalized: BroadcastMode = this
}
