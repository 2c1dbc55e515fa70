package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, FragmentEncoder}
import org.apache.spark.sql.broadhead.execution.TaskLayout
import org.apache.spark.sql.broadhead.planning.OperatorCase
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.optimizer.BuildRight
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition, UnknownPartitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.aggregate.{HashAggregateExec, ObjectHashAggregateExec}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec

/**
 * Spark's `CoalesceExec` in the engine: a task reads several partitions of each leaf, and the
 * operators below run once for all of them.
 */
private[broadhead] case class BroadheadCoalesce(numPartitions: Int, child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "Coalesce"

  @transient override lazy val original: SparkPlan =
    NeighboursCoalesceExec(numPartitions, FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = original.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    TaskLayout.neighbours(numPartitions, TaskLayout.together(below))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadCoalesce =
    copy(child = newChild)
}

/**
 * Spark's `CoalesceExec` with partitions that follow from their numbers alone, as those of the
 * engine's tasks. Spark itself may prefer partitions of one host.
 */
private[broadhead] case class NeighboursCoalesceExec(numPartitions: Int, child: SparkPlan)
    extends UnaryExecNode {

  override def nodeName: String = "Coalesce"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    if (numPartitions == 1) SinglePartition else UnknownPartitioning(numPartitions)

  protected override def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    if (rows.getNumPartitions == 0) CoalesceExec(numPartitions, child).execute()
    else rows.coalesce(numPartitions, partitionCoalescer = Some(new Neighbours))
  }

  protected override def withNewChildInternal(newChild: SparkPlan): NeighboursCoalesceExec =
    copy(child = newChild)
}

/** Groups of neighbouring partitions: Spark's own where partitions have no preferred host. */
private[broadhead] class Neighbours extends PartitionCoalescer with Serializable {
  override def coalesce(maxPartitions: Int, parent: RDD[_]): Array[PartitionGroup] =
    Neighbours
      .of(parent.partitions.length, maxPartitions)
      .map { numbers =>
        val group = new PartitionGroup()
        group.partitions ++= numbers.map(parent.partitions(_))
        group
      }
      .toArray
}

private[broadhead] object Neighbours {

  /** The numbers of the partitions of each group. */
  def of(partitions: Int, groups: Int): Seq[Seq[Int]] = {
    val count = groups.min(partitions)
    def start(group: Int) = (group.toLong * partitions / count).toInt
    (0 until count).map(group => start(group) until start(group + 1))
  }
}

private[broadhead] object CoalesceCase extends OperatorCase[CoalesceExec] {
  override def name: String = "Coalesce"

  override def isLight(plan: CoalesceExec): Boolean = true

  override def needsOurInput: Boolean = true

  override def reasons(coalesce: CoalesceExec, support: ExpressionSupport): Seq[String] =
    coalesce.output.flatMap(support.columnReasons)

  override def convert(coalesce: CoalesceExec, children: Seq[SparkPlan]): SparkPlan =
    children.head match {
      case BroadheadRowSource(rows) => coalesce.copy(child = rows)
      case fragment => BroadheadCoalesce(coalesce.numPartitions, fragment)
    }

  /** Whether the rows of several partitions are those of one run over all of them. */
  def runsAsOne(below: SparkPlan): Boolean = below match {
    case _: FileSourceScanExec | _: BatchScanExec | _: ShuffleExchangeLike | _: QueryStageExec |
        _: AQEShuffleReadExec =>
      true
    case ProjectExec(columns, child) => columns.forall(_.deterministic) && runsAsOne(child)
    case FilterExec(condition, child) => condition.deterministic && runsAsOne(child)
    case join: BroadcastHashJoinExec =>
      runsAsOne(if (join.buildSide == BuildRight) join.left else join.right)
    // A group is in one partition.
    case aggregate: HashAggregateExec =>
      isComplete(aggregate.requiredChildDistributionExpressions) && runsAsOne(aggregate.child)
    case aggregate: ObjectHashAggregateExec =>
      isComplete(aggregate.requiredChildDistributionExpressions) && runsAsOne(aggregate.child)
    case _ => false
  }

  private def isComplete(keys: Option[Seq[_]]): Boolean = keys.exists(_.nonEmpty)
}
