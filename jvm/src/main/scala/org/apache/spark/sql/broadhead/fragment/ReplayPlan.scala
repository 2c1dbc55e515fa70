package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.NarrowDependency
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{Attribute, BitwiseGet, IntervalDivide}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Spark's own operators for a fragment, ready to run. */
private[broadhead] object ReplayPlan {

  /**
   * The operators, with generated code only for those that differ without it.
   *
   * Generated code of a broadcast join would build its relation on the driver. Aggregates need it:
   * in variables, a sum may temporarily have more digits than its type; in rows it becomes null.
   * Some functions need it, since their errors name them as in the query only there: what an
   * expression is called does not travel to the executors.
   */
  def of(original: SparkPlan, sources: Seq[RunningSource]): SparkPlan =
    withGeneratedCode(executable(original, sources))

  /** The operators if all of a fragment's tasks run them. */
  def whole(original: SparkPlan): SparkPlan = CollapseCodegenStages()(executable(original, Nil))

  private def executable(original: SparkPlan, sources: Seq[RunningSource]): SparkPlan = {
    val running = original.transformDown { case BroadheadReplaySource(plan) =>
      sources.find(_.plan eq plan).getOrElse(BroadheadReplaySource(plan))
    }
    ApplyColumnarRulesAndInsertTransitions(Nil, outputsColumnar = false)(running)
  }

  private def withGeneratedCode(plan: SparkPlan): SparkPlan = plan match {
    case operator @ (_: BaseAggregateExec | _: ProjectExec | _: FilterExec)
        if operator.isInstanceOf[BaseAggregateExec] || isNamedInErrors(operator) =>
      val input = BroadheadReplaySource(withGeneratedCode(operator.children.head))
      CollapseCodegenStages()(operator.withNewChildren(Seq(input)))
    case other => other.mapChildren(withGeneratedCode)
  }

  private def isNamedInErrors(operator: SparkPlan): Boolean =
    operator.expressions.exists(_.exists {
      case _: IntervalDivide | _: BitwiseGet => true
      case _ => false
    })
}

/** A row source whose RDD exists: the fragment and its replay read the same one. */
private[broadhead] case class RunningSource(plan: SparkPlan, @transient rdd: RDD[_])
    extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output

  /** A union has other partitions if its inputs have the same partitioning. */
  override def outputPartitioning: Partitioning = plan.outputPartitioning

  override def supportsColumnar: Boolean = plan.supportsColumnar

  protected override def doExecute(): RDD[InternalRow] = rdd.asInstanceOf[RDD[InternalRow]]

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    rdd.asInstanceOf[RDD[ColumnarBatch]]
}

private[broadhead] object RunningSource {

  def of(plan: SparkPlan): RunningSource =
    RunningSource(plan, if (plan.supportsColumnar) plan.executeColumnar() else plan.execute())
}

/** A task depends on some partitions of an RDD: those that it reads, or would have to replay. */
private[broadhead] class MembersDependency[T](parent: RDD[T], members: Seq[Seq[Int]])
    extends NarrowDependency[T](parent) {

  override def getParents(partition: Int): Seq[Int] = members(partition)
}
