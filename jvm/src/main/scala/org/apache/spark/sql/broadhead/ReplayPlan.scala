package org.apache.spark.sql.broadhead

import org.apache.spark.NarrowDependency
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution._
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Spark's own operators for a fragment, ready to run. */
private[broadhead] object ReplayPlan {

  def of(original: SparkPlan, sources: Seq[RunningSource]): SparkPlan = {
    val running = original.transformDown { case BroadheadReplaySource(plan) =>
      sources.find(_.plan eq plan).getOrElse(BroadheadReplaySource(plan))
    }
    val withTransitions = ApplyColumnarRulesAndInsertTransitions(Nil, outputsColumnar = false)
    CollapseCodegenStages()(withTransitions(running))
  }

  /** Whether the operators give each row that they keep where it stood in the input. */
  def keepsOrder(original: SparkPlan): Boolean = !original.exists {
    case _: FilterExec | _: ProjectExec => false
    case _: FileSourceScanExec | _: BroadheadReplaySource => false
    case _ => true
  }
}

/** A row source whose RDD exists: the fragment and its replay read the same one. */
private[broadhead] case class RunningSource(plan: SparkPlan, @transient rdd: RDD[_])
    extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output

  override def supportsColumnar: Boolean = plan.supportsColumnar

  protected override def doExecute(): RDD[InternalRow] = rdd.asInstanceOf[RDD[InternalRow]]

  protected override def doExecuteColumnar(): RDD[ColumnarBatch] =
    rdd.asInstanceOf[RDD[ColumnarBatch]]
}

private[broadhead] object RunningSource {

  def of(plan: SparkPlan): RunningSource =
    RunningSource(plan, if (plan.supportsColumnar) plan.executeColumnar() else plan.execute())
}

/** A task depends on all of Spark's partitions that it would have to replay. */
private[broadhead] class ReplayDependency(replay: RDD[InternalRow], members: Seq[Seq[Int]])
    extends NarrowDependency[InternalRow](replay) {

  override def getParents(partition: Int): Seq[Int] = members(partition)
}
