package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec

/** What a plan's operators tell of how many rows it gives. */
private[broadhead] object ReducingPlans extends PredicateHelper {

  /** Whether a plan may give far less than it reads. */
  def mayReduce(plan: SparkPlan): Boolean = plan.exists {
    case BroadheadFilter(condition, _) => isSelective(condition)
    case _: BroadheadHashAggregate => true
    case stage: QueryStageExec => mayReduce(stage.plan)
    case _ => false
  }

  /** Whether a plan chooses among groups, such as HAVING: few are left of any number of rows. */
  def keepsFewGroups(plan: SparkPlan): Boolean = plan match {
    case BroadheadFilter(condition, _: BroadheadHashAggregate) => isSelective(condition)
    case _: BroadheadShuffleExchange | _: BroadheadProject => keepsFewGroups(plan.children.head)
    case _ => false
  }

  /** Spark adds conditions that keys are not null to every join. */
  private def isSelective(condition: Expression): Boolean =
    splitConjunctivePredicates(condition).exists(!_.isInstanceOf[IsNotNull])
}
