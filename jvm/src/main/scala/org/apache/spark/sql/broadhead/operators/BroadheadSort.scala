package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, SortOrders}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, InputOrder, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * Spark's `SortExec` in the engine.
 *
 * @param limit the number of first rows needed of each partition, if not all are
 */
case class BroadheadSort(
    sortOrder: Seq[SortOrder],
    global: Boolean,
    limit: Option[Int],
    child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "Sort"

  @transient override lazy val original: SparkPlan = {
    val sort = SortExec(sortOrder, global, FragmentEncoder.originalOf(child))
    limit.fold[SparkPlan](sort)(LocalLimitExec(_, sort))
  }

  override def output: Seq[Attribute] = child.output

  override def outputOrdering: Seq[SortOrder] = sortOrder

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (global) OrderedDistribution(sortOrder) else UnspecifiedDistribution)

  protected override def ownMetrics: Map[String, SQLMetric] =
    Map("spilledBytes" -> SQLMetrics.createSizeMetric(sparkContext, "spill size"))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "order" -> SortOrders.encode(sortOrder, encoder, child.output),
    "limit" -> limit.fold[JsonNode](Json.Null)(rows => Json.number(rows.toLong)))

  override def simpleString(maxFields: Int): String = {
    val order = truncatedString(sortOrder, "[", ", ", "]", maxFields)
    s"$nodeName $order, $global" + limit.fold("")(rows => s", limit=$rows")
  }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadSort =
    copy(child = newChild)
}

private[broadhead] object SortCase extends OperatorCase[SortExec] {
  override def name: String = "Sort"

  override def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Ignored

  override def reasons(sort: SortExec, support: ExpressionSupport): Seq[String] =
    sort.child.output.flatMap(support.columnReasons) ++
      sort.sortOrder.flatMap(SortOrders.reasons(_, support))

  override def convert(sort: SortExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadSort(sort.sortOrder, sort.global, None, children.head)
}
