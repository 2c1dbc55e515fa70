package org.apache.spark.sql.broadhead.pythonfunctions

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, WindowSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, Expression, PythonUDF, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

/**
 * Spark's `FlatMapCoGroupsInPandasExec` or `FlatMapCoGroupsInArrowExec` in the engine: the rows
 * that a function makes of the rows of both sides with the same keys. Both sides are sorted by
 * their keys.
 */
case class BroadheadFlatMapCoGroups(
    leftGroup: Seq[Attribute],
    rightGroup: Seq[Attribute],
    func: Expression,
    output: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan,
    inArrow: Boolean)
    extends BinaryExecNode
    with PythonOperator {

  override def operatorName: String =
    if (inArrow) "FlatMapCoGroupsInArrow" else "FlatMapCoGroupsInPandas"

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = Seq(PythonCall.of(func.asInstanceOf[PythonUDF]))

  @transient override lazy val original: SparkPlan = {
    val (first, second) = (FragmentEncoder.originalOf(left), FragmentEncoder.originalOf(right))
    CompiledSpark.flatMapCoGroups(leftGroup, rightGroup, func, output, first, second, inArrow)
  }

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(Grouped.by(leftGroup), Grouped.by(rightGroup))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftGroup, rightGroup).map(_.map(SortOrder(_, Ascending)))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val sides = Seq((leftGroup, left), (rightGroup, right)).map { case (keys, side) =>
      val sent = Grouped.data(keys, side.output)
      val calls =
        new PythonCallEncoder(encoder, side.output, conf).encodeRows(this.calls.head, sent)
      (Grouped.encode(encoder, keys, side.output) ++ calls).toMap
    }
    val ofSides = Seq("grouping", "keys", "values", "inputs", "inputNames")
    (sides.head -- ofSides).toSeq ++
      ofSides.map(name => name -> Json.array(sides.map(_(name))))
  }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadFlatMapCoGroups =
    copy(left = newLeft, right = newRight)
}

private[broadhead] class FlatMapCoGroupsCase(override val name: String)
    extends OperatorCase[CompiledSpark.FlatMapCoGroups] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: CompiledSpark.FlatMapCoGroups): Boolean = true

  override def reasons(
      plan: CompiledSpark.FlatMapCoGroups,
      support: ExpressionSupport): Seq[String] =
    (plan.left.output ++ plan.right.output ++ plan.output).flatMap { column =>
      PythonCall.typeReasons(column.dataType, s"column ${column.name}", support)
    } ++
      WindowSupport.keyReasons(plan.leftGroup ++ plan.rightGroup, Nil, support) ++
      PythonCall.functionReasons(PythonCall.of(plan.func.asInstanceOf[PythonUDF]))

  override def convert(plan: CompiledSpark.FlatMapCoGroups, children: Seq[SparkPlan]): SparkPlan =
    BroadheadFlatMapCoGroups(
      plan.leftGroup,
      plan.rightGroup,
      plan.func,
      plan.output,
      children.head,
      children.last,
      CompiledSpark.isArrowOfPairs(plan))
}
