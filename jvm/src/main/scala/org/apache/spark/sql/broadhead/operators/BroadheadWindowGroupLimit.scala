package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, SortOrders, WindowSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.window.{WindowGroupLimitExec, WindowGroupLimitMode}

/** Spark's `WindowGroupLimitExec` in the engine. */
case class BroadheadWindowGroupLimit(
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    rankLikeFunction: Expression,
    limit: Int,
    mode: WindowGroupLimitMode,
    child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "WindowGroupLimit"

  @transient override lazy val original: WindowGroupLimitExec = over(
    FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = child.output

  override def requiredChildDistribution: Seq[Distribution] =
    over(child).requiredChildDistribution

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = over(child).requiredChildOrdering

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def outputPartitioning: Partitioning = child.outputPartitioning

  private def over(input: SparkPlan): WindowGroupLimitExec =
    WindowGroupLimitExec(partitionSpec, orderSpec, rankLikeFunction, limit, mode, input)

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "partition" -> Json.array(partitionSpec.map(encoder.encode(_, child.output))),
    "order" -> SortOrders.encode(orderSpec, encoder, child.output),
    "rank" -> Json.text(rankLikeFunction.getClass.getSimpleName),
    "limit" -> Json.number(limit.toLong))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadWindowGroupLimit =
    copy(child = newChild)
}

private[broadhead] object WindowGroupLimitCase extends OperatorCase[WindowGroupLimitExec] {
  override def name: String = "WindowGroupLimit"

  override def reasons(limit: WindowGroupLimitExec, support: ExpressionSupport): Seq[String] =
    limit.output.flatMap(support.columnReasons) ++
      WindowSupport.keyReasons(limit.partitionSpec, limit.orderSpec, support) ++
      support.windowReasons(limit.rankLikeFunction)

  override def convert(limit: WindowGroupLimitExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadWindowGroupLimit(
      limit.partitionSpec,
      limit.orderSpec,
      limit.rankLikeFunction,
      limit.limit,
      limit.mode,
      children.head)
}
