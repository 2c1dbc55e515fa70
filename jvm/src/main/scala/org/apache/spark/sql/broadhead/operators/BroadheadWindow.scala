package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, SortOrders, WindowColumns, WindowFunctionEncoder, WindowSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.window.WindowExec

/** Spark's `WindowExec` in the engine. */
case class BroadheadWindow(
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "Window"

  @transient override lazy val original: WindowExec = over(FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = child.output ++ windowExpression.map(_.toAttribute)

  override def requiredChildDistribution: Seq[Distribution] =
    over(child).requiredChildDistribution

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = over(child).requiredChildOrdering

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def outputPartitioning: Partitioning = child.outputPartitioning

  protected override def ownMetrics: Map[String, SQLMetric] =
    Map("spilledBytes" -> SQLMetrics.createSizeMetric(sparkContext, "spill size"))

  private def over(input: SparkPlan): WindowExec =
    WindowExec(windowExpression, partitionSpec, orderSpec, input)

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val functions = new WindowFunctionEncoder(encoder, child.output, orderSpec)
    Seq(
      "partition" -> Json.array(partitionSpec.map(encoder.encode(_, child.output))),
      "order" -> SortOrders.encode(orderSpec, encoder, child.output),
      "functions" -> Json.array(windowExpression.map(functions.encode)))
  }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadWindow =
    copy(child = newChild)
}

private[broadhead] object WindowCase extends OperatorCase[WindowExec] {
  override def name: String = "Window"

  override def reasons(window: WindowExec, support: ExpressionSupport): Seq[String] = {
    val columns = WindowColumns.of(window.windowExpression)
    window.output.flatMap(support.columnReasons) ++
      WindowSupport.keyReasons(window.partitionSpec, window.orderSpec, support) ++
      columns.windows.flatMap(WindowSupport.functionReasons(_, support)) ++
      columns.computed.flatMap(support.reasons)
  }

  override def convert(window: WindowExec, children: Seq[SparkPlan]): SparkPlan = {
    val columns = WindowColumns.of(window.windowExpression)
    val over =
      BroadheadWindow(columns.windows, window.partitionSpec, window.orderSpec, children.head)
    if (columns.computed.isEmpty) over
    else BroadheadProject(children.head.output ++ columns.results, over)
  }
}
