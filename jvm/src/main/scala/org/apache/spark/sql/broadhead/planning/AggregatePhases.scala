package org.apache.spark.sql.broadhead.planning

import scala.annotation.tailrec

import org.apache.spark.sql.broadhead.fragment.BroadheadRowSource
import org.apache.spark.sql.catalyst.expressions.aggregate.{Final, PartialMerge}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}

/** Finds the phases of one aggregation of a query. */
private[broadhead] object AggregatePhases {

  /** The source of the buffers that an aggregate merges. */
  sealed trait Source
  case class Phase(aggregate: BaseAggregateExec) extends Source

  /** The aggregate reads no buffers. */
  case object NoPhase extends Source

  /** The aggregate reads buffers from an operator that is not an aggregate. */
  case class Unknown(plan: SparkPlan) extends Source

  def below(aggregate: BaseAggregateExec): Source = {
    val modes = aggregate.aggregateExpressions.map(_.mode)
    val merges = modes.contains(Final) || modes.contains(PartialMerge)
    val distinct = aggregate.aggregateExpressions.exists(_.isDistinct)
    find(aggregate.child) match {
      case phase: Phase if merges || distinct => phase
      case unknown: Unknown if merges => unknown
      case _ => NoPhase
    }
  }

  @tailrec
  private def find(plan: SparkPlan): Source = plan match {
    case aggregate: BaseAggregateExec => Phase(aggregate)
    case exchange: Exchange => find(exchange.child)
    case reused: ReusedExchangeExec => find(reused.child)
    case stage: QueryStageExec => find(stage.plan)
    case read: AQEShuffleReadExec => find(read.child)
    case _: SortExec | _: BroadheadRowSource | _: WholeStageCodegenExec | _: InputAdapter |
        _: ColumnarToRowExec | _: RowToColumnarExec =>
      find(plan.children.head)
    case other => Unknown(other)
  }
}
