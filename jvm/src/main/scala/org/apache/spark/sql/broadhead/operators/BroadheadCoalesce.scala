package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport}
import org.apache.spark.sql.broadhead.fragment.{BroadheadRowSource, FragmentEncoder, FragmentOperator, NeighboursCoalesceExec, OperatorCase, PartitionDependent, TaskLayout}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.optimizer.BuildRight
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
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
    with FragmentOperator
    with PartitionDependent {

  override def operatorName: String = "Coalesce"

  @transient override lazy val original: SparkPlan =
    NeighboursCoalesceExec(numPartitions, FragmentEncoder.originalOf(child))

  override def keepsOrder: Boolean = inputKeepsOrder

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = original.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    TaskLayout.neighbours(numPartitions, TaskLayout.together(below))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadCoalesce =
    copy(child = newChild)
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
