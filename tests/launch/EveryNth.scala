package toy

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}
import org.apache.spark.sql.{Encoders, Row, SparkSessionExtensions}

/** The first of the child's rows, and each n-th after it, in each partition. */
case class EveryNth(n: Int, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  protected override def withNewChildInternal(newChild: LogicalPlan): EveryNth =
    copy(child = newChild)
}

object EveryNth {

  /** The rows of a data frame. */
  def of(frame: Dataset[Row], n: Int): Dataset[Row] =
    new Dataset[Row](
      frame.sparkSession,
      EveryNth(n, frame.queryExecution.analyzed),
      Encoders.row(frame.schema))
}

/** The operator as if it were one of Spark's. */
case class EveryNthExec(n: Int, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  protected override def doExecute(): RDD[InternalRow] =
    child.execute().mapPartitions { rows =>
      rows.zipWithIndex.collect { case (row, number) if number % n == 0 => row }
    }

  protected override def withNewChildInternal(newChild: SparkPlan): EveryNthExec =
    copy(child = newChild)
}

/** Plans `EveryNth`. */
object EveryNthStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case EveryNth(n, child) => Seq(EveryNthExec(n, planLater(child)))
    case _ => Nil
  }
}

class ToyExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectPlannerStrategy(_ => EveryNthStrategy)
}
