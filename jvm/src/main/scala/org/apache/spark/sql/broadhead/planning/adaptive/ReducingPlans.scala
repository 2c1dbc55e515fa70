package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.fragment.BroadheadOperator
import org.apache.spark.sql.broadhead.operators.{BroadheadFilter, BroadheadHashAggregate, BroadheadProject}
import org.apache.spark.sql.broadhead.shuffle.BroadheadShuffleExchange
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.SparkPlan

/** Estimates from a plan's operators about its number of rows. */
private[broadhead] object ReducingPlans {

  /** Whether a plan may return far less than it reads. */
  def mayReduce(plan: SparkPlan): Boolean = plan.exists {
    case operator: BroadheadOperator => operator.mayReduce
    case stage: QueryStageExec => mayReduce(stage.plan)
    case _ => false
  }

  /** Whether a plan filters groups, such as HAVING: few remain of any number of rows. */
  def keepsFewGroups(plan: SparkPlan): Boolean = plan match {
    case BroadheadFilter(condition, _: BroadheadHashAggregate) =>
      BroadheadFilter.isSelective(condition)
    case _: BroadheadShuffleExchange | _: BroadheadProject => keepsFewGroups(plan.children.head)
    case _ => false
  }
}
