package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase, TaskLayout}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnionExec}

/** Spark's `UnionExec` in the engine. */
private[broadhead] case class BroadheadUnion(children: Seq[SparkPlan]) extends FragmentOperator {

  override def operatorName: String = "Union"

  /** It has tasks of its own for each input, whatever their sizes. */
  override def fixesTasks: Boolean = true

  @transient override lazy val original: UnionExec = UnionExec(
    children.map(FragmentEncoder.originalOf))

  override def output: Seq[Attribute] = original.output

  override def outputPartitioning: Partitioning = original.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Nil

  /**
   * A task for each partition of each child. If Spark knows that all children have the same
   * partitioning, a task for the partitions of the same number.
   */
  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout =
    outputPartitioning match {
      case _: UnknownPartitioning => TaskLayout.oneAfterTheOther(id, below)
      case _ => TaskLayout.together(below.filter(TaskLayout.tasksOf(_).nonEmpty))
    }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildrenInternal(
      newChildren: IndexedSeq[SparkPlan]): BroadheadUnion = copy(children = newChildren)
}

private[broadhead] object UnionCase extends OperatorCase[UnionExec] {
  override def name: String = "Union"

  override def isLight(plan: UnionExec): Boolean = true

  override def fixesTasks(plan: UnionExec): Boolean = true

  override def reasons(union: UnionExec, support: ExpressionSupport): Seq[String] =
    union.output.flatMap(support.columnReasons) ++ union.output.zipWithIndex.collect {
      case (attribute, ordinal)
          if union.children.exists(_.output(ordinal).dataType != attribute.dataType) =>
        s"column ${attribute.name} allows null elements in some inputs of the union only"
    }

  override def convert(union: UnionExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadUnion(children)
}
