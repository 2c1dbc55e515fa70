package org.apache.spark.sql.broadhead.pythonfunctions

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, Reasons, WindowSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, NamedExpression, PythonUDAF, SessionWindow, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Spark's `ArrowAggregatePythonExec` (`AggregateInPandasExec` in Spark 4.0) in the engine: one row
 * for each group, with the values of functions over its rows. The input is sorted by the groups'
 * keys.
 */
case class BroadheadAggregatePython(
    groupingExpressions: Seq[NamedExpression],
    aggExpressions: Seq[AggregateExpression],
    resultExpressions: Seq[NamedExpression],
    child: SparkPlan,
    operatorName: String)
    extends UnaryExecNode
    with PythonOperator {

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = AggregatePythonCase.calls(aggExpressions)

  @transient override lazy val original: SparkPlan =
    VersionedSpark.aggregateInPython(
      groupingExpressions,
      aggExpressions,
      resultExpressions,
      FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = resultExpressions.map(_.toAttribute)

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(Grouped.by(groupingExpressions))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(groupingExpressions.map(SortOrder(_, Ascending)))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val columns =
      groupingExpressions.map(_.toAttribute) ++ aggExpressions.map(_.resultAttribute)
    Seq(
      "grouping" -> Json.array(groupingExpressions.map(encoder.encode(_, child.output))),
      "results" -> Json.array(resultExpressions.map(encoder.encode(_, columns)))) ++
      new PythonCallEncoder(encoder, child.output, conf).encode(calls, calls.head.evalType)
  }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadAggregatePython =
    copy(child = newChild)
}

private[broadhead] class AggregatePythonCase(override val name: String)
    extends OperatorCase[SparkPlan] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: SparkPlan): Boolean = true

  override def reasons(plan: SparkPlan, support: ExpressionSupport): Seq[String] = {
    val fields = new AggregatePythonFields(plan)
    plan.children.head.output.flatMap(support.columnReasons) ++
      plan.output.flatMap(support.columnReasons) ++
      WindowSupport.keyReasons(fields.grouping, Nil, support) ++
      Reasons.when(fields.grouping.exists(_.metadata.contains(SessionWindow.marker)))(
        "groups of session windows are not supported") ++
      Reasons.when(fields.aggregates.exists(a => a.isDistinct || a.filter.isDefined))(
        "DISTINCT and FILTER of Python functions are not supported") ++
      AggregatePythonCase.calls(fields.aggregates).flatMap(PythonCall.reasons(_, support)) ++
      fields.results.flatMap(support.reasons)
  }

  override def convert(plan: SparkPlan, children: Seq[SparkPlan]): SparkPlan = {
    val fields = new AggregatePythonFields(plan)
    BroadheadAggregatePython(
      fields.grouping,
      fields.aggregates,
      fields.results,
      children.head,
      name)
  }
}

private[broadhead] object AggregatePythonCase {

  def calls(aggregates: Seq[AggregateExpression]): Seq[PythonCall] =
    aggregates.map(a => PythonCall.of(a.aggregateFunction.asInstanceOf[PythonUDAF]))
}

/** The fields of Spark's operator, whose class has another name in each version. */
private class AggregatePythonFields(plan: SparkPlan) {
  val grouping: Seq[NamedExpression] =
    VersionedSpark.field[Seq[NamedExpression]](plan, "groupingExpressions")

  val aggregates: Seq[AggregateExpression] =
    VersionedSpark.field[Seq[AggregateExpression]](plan, "aggExpressions")

  val results: Seq[NamedExpression] =
    VersionedSpark.field[Seq[NamedExpression]](plan, "resultExpressions")
}
