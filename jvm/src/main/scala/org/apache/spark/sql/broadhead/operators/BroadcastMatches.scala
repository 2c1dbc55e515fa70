package org.apache.spark.sql.broadhead.operators

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.broadcast.LazyRelationBroadcast
import org.apache.spark.sql.broadhead.fragment.FragmentEncoder
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleExchange, BroadheadShuffleRead}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeReference, Expression, JoinedRow, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastMode, Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.joins.{BroadcastNestedLoopJoinExec, ShuffledHashJoinExec}
import org.apache.spark.sql.execution.{LeafExecNode, ProjectExec, SparkPlan, UnionExec}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The rows of a broadcast, with their row ids, that match some row of the task's partition.
 *
 * The left side is the broadcast, the right one the rows, partitioned over the tasks.
 */
private[broadhead] trait BroadheadMatchedRows extends BroadheadJoin {

  override def joinType: JoinType = LeftSemi

  override def buildSide: BuildSide = BuildLeft

  /** Spark's inner join of the broadcast's rows, with their ids, and those of the task. */
  protected def pairs: SparkPlan

  /**
   * Spark's own semi join would need all tasks, and Spark's inner join repeats a row.
   *
   * Only the row ids are read, and not all columns can be keys of Spark's groups.
   */
  @transient override lazy val original: SparkPlan = {
    val ids = left.output.takeRight(1)
    val rows = HashAggregateExec(None, false, None, ids, Nil, Nil, 0, ids, pairs)
    val others = left.output.dropRight(1).map { column =>
      Alias(Literal(null, column.dataType), column.name)(exprId = column.exprId)
    }
    ProjectExec(others ++ ids, rows)
  }

  lazy val matchTime: SQLMetric =
    SQLMetrics.createNanoTimingMetric(sparkContext, "time to find matching rows")

  override lazy val engineMetrics: Map[String, SQLMetric] = Map("time" -> matchTime)
}

/** The matched rows of a join with only a condition. */
private[broadhead] case class BroadheadMatchedBroadcastRows(
    left: BroadheadBroadcastRead,
    right: SparkPlan,
    condition: Option[Expression])
    extends BroadheadNestedLoopJoin
    with BroadheadMatchedRows {

  protected override def pairs: SparkPlan = BroadcastNestedLoopJoinExec(
    left.original,
    FragmentEncoder.originalOf(right),
    buildSide,
    Inner,
    condition)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadMatchedBroadcastRows =
    copy(left = newLeft.asInstanceOf[BroadheadBroadcastRead], right = newRight)
}

/** The matched rows of a join with keys. */
private[broadhead] case class BroadheadMatchedBroadcastKeys(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    condition: Option[Expression],
    left: BroadheadBroadcastRead,
    right: SparkPlan)
    extends BroadheadHashJoin
    with BroadheadMatchedRows {

  protected override def nullAware: Boolean = false

  /** Spark builds only the right side of such joins. */
  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    ShuffledHashJoinExec(leftKeys, rightKeys, joinType, BuildRight, condition, left, right)

  protected override def pairs: SparkPlan = {
    val rows = BroadcastRowIds(left.source, left.rowId.get)
    val join = BroadheadEquiJoin(
      leftKeys,
      rightKeys,
      Inner,
      buildSide,
      condition,
      rows,
      FragmentEncoder.originalOf(right),
      EquiJoinKind.Broadcast(isNullAware = false))
    join.copy(left = rows.copy(relation = Some(join.relationMode))).original
  }

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadMatchedBroadcastKeys =
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
    rowId: Attribute,
    left: SparkPlan,
    right: SparkPlan)
    extends BroadheadHashJoin {

  override def buildSide: BuildSide = BuildLeft

  override def leftKeys: Seq[Expression] = Seq(rowId)

  override def rightKeys: Seq[Expression] = Seq(rowId)

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
 * The operators that together return the rows of a join with unmatched rows of its broadcast.
 *
 * @param gather moves the row ids of matched rows from all tasks into one
 */
private[broadhead] class BroadcastJoinOperators private (
    join: BroadheadJoin,
    gather: SparkPlan => SparkPlan) {

  private val (build, streamed) =
    if (join.buildSide == BuildLeft) (join.left, join.right) else (join.right, join.left)

  val broadcast: BroadheadBroadcastRead = build.asInstanceOf[BroadheadBroadcastRead]

  private val rowId = AttributeReference("rowId", LongType, nullable = false)()
  private val rows = broadcast.copy(rowId = Some(rowId))

  private val matched: BroadheadMatchedRows = join match {
    case keyed: BroadheadBuildOuterHashJoin =>
      val (ofRows, ofStreamed) =
        if (join.buildSide == BuildLeft) (keyed.leftKeys, keyed.rightKeys)
        else (keyed.rightKeys, keyed.leftKeys)
      BroadheadMatchedBroadcastKeys(ofRows, ofStreamed, join.condition, rows, streamed)
    case _ => BroadheadMatchedBroadcastRows(rows, streamed, join.condition)
  }
  private val found = BroadheadProject(Seq(rowId), matched)
  private val matchedIds = gather(found)

  /** The rows of each task for its own rows; None if only broadcast rows are returned. */
  private val ofTasks: Option[BroadheadJoin] = (join.joinType match {
    case FullOuter => Some(if (join.buildSide == BuildLeft) RightOuter else LeftOuter)
    case LeftOuter | RightOuter => Some(Inner)
    case _ => None
  }).map { joinType =>
    join match {
      case keyed: BroadheadBuildOuterHashJoin => keyed.ofEachTask(joinType)
      case other =>
        BroadheadBroadcastNestedLoopJoin(
          other.left,
          other.right,
          other.buildSide,
          joinType,
          other.condition)
    }
  }

  private val tested =
    BroadheadUnmatchedBuildRows(
      if (ofTasks.isDefined) LeftAnti else join.joinType,
      rowId,
      rows,
      matchedIds)

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
  def fragmentMetrics: Map[String, SQLMetric] = matchedIds match {
    case BroadheadShuffleRead(exchange: BroadheadShuffleExchange, _) => exchange.fragmentMetrics
    case _ => found.fragmentMetrics
  }
}

private[broadhead] object BroadcastJoinOperators {

  /** The operators of a join that one task runs. */
  def inOneTask(join: BroadheadJoin): BroadcastJoinOperators =
    new BroadcastJoinOperators(join, identity)

  /** The operators of a join whose tasks need each other's matches. */
  def inManyTasks(join: BroadheadJoin): BroadcastJoinOperators =
    new BroadcastJoinOperators(join, SinglePartitionRows.of)
}

/**
 * The rows of one of Broadhead's broadcasts with their row ids, as a leaf of the operators kept
 * for replay: in one partition, or for Spark's joins.
 *
 * @param relation what makes the relation for Spark's hash join; its nested loop join reads an array
 */
private[broadhead] case class BroadcastRowIds(
    plan: SparkPlan,
    rowId: Attribute,
    relation: Option[BroadcastMode] = None)
    extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output :+ rowId

  // With a known partitioning, a union could combine this partition with others.
  override def outputPartitioning: Partitioning = UnknownPartitioning(1)

  protected override def doExecute(): RDD[InternalRow] = {
    val rows = copy(relation = None).doExecuteBroadcast[Array[InternalRow]]()
    sparkContext.parallelize(Seq(0), 1).mapPartitions(_ => rows.value.iterator)
  }

  override protected[sql] def doExecuteBroadcast[T](): Broadcast[T] =
    plan.executeBroadcast[Any]() match {
      case rows: LazyRelationBroadcast =>
        val mode = RowIdMode(plan.output.map(_.dataType), relation)
        rows.withMode(mode).asInstanceOf[Broadcast[T]]
      case _ =>
        throw new IllegalStateException(s"${plan.nodeName} is not a broadcast of Broadhead")
    }
}

/**
 * Rows with an additional column: their row id in the broadcast.
 *
 * @param types those of the rows' own columns
 * @param relation what makes the relation of these rows; without it they are an array
 */
private[broadhead] case class RowIdMode(types: Seq[DataType], relation: Option[BroadcastMode])
    extends BroadcastMode {

  override def transform(rows: Array[InternalRow]): Any =
    transform(rows.iterator, Some(rows.length.toLong))

  // Generated code requires unsafe rows.
  override def transform(rows: Iterator[InternalRow], sizeHint: Option[Long]): Any = {
    val project = UnsafeProjection.create((types :+ LongType).toArray)
    val numbered = rows.zipWithIndex.map { case (row, rowId) =>
      project(new JoinedRow(row, InternalRow(rowId.toLong))).copy(): InternalRow
    }.toArray
    relation.fold[Any](numbered)(_.transform(numbered.iterator, sizeHint))
  }

  override def canonicalized: BroadcastMode = this
}
