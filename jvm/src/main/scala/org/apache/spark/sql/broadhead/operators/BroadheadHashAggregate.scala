package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.broadhead.encoding.{ConstantArguments, ExpressionEncoder, ExpressionSupport, Json, TypeNames}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, InputOrder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.aggregate._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SortExec, SparkPlan}

/**
 * Spark's `HashAggregateExec` in the engine, in any of its phases.
 *
 * It also replaces `SortAggregateExec`, which Spark uses for buffers that cannot be
 * overwritten (a maximum of strings), and `ObjectHashAggregateExec`, for buffers that are objects.
 * The engine has no such limits and needs no sorted input.
 */
case class BroadheadHashAggregate(
    requiredChildDistributionExpressions: Option[Seq[Expression]],
    isStreaming: Boolean,
    numShufflePartitions: Option[Int],
    groupingExpressions: Seq[NamedExpression],
    aggregateExpressions: Seq[AggregateExpression],
    aggregateAttributes: Seq[Attribute],
    initialInputBufferOffset: Int,
    resultExpressions: Seq[NamedExpression],
    child: SparkPlan)
    extends BaseAggregateExec
    with FragmentOperator {

  override def operatorName: String = "HashAggregate"

  override def mayReduce: Boolean = true

  override def inputOrder: InputOrder = InputOrder.Ignored

  @transient override lazy val original: SparkPlan = {
    val input = FragmentEncoder.originalOf(child)
    if (CompiledSpark.supportsHashAggregate(aggregateBufferAttributes, groupingExpressions)) {
      HashAggregateExec(requiredChildDistributionExpressions, isStreaming, numShufflePartitions,
        groupingExpressions, aggregateExpressions, aggregateAttributes, initialInputBufferOffset,
        resultExpressions, input)
    } else if (CompiledSpark.supportsObjectHashAggregate(
        aggregateExpressions,
        groupingExpressions)) {
      ObjectHashAggregateExec(requiredChildDistributionExpressions, isStreaming,
        numShufflePartitions, groupingExpressions, aggregateExpressions, aggregateAttributes,
        initialInputBufferOffset, resultExpressions, input)
    } else {
      SortAggregateExec(
        requiredChildDistributionExpressions,
        isStreaming,
        numShufflePartitions,
        groupingExpressions,
        aggregateExpressions,
        aggregateAttributes,
        initialInputBufferOffset,
        resultExpressions,
        sortedByKeys(input))
    }
  }

  private def sortedByKeys(input: SparkPlan): SparkPlan =
    if (groupingExpressions.isEmpty) input
    else SortExec(groupingExpressions.map(SortOrder(_, Ascending)), global = false, input)

  override lazy val allAttributes: AttributeSeq =
    child.output ++ aggregateBufferAttributes ++ aggregateAttributes ++
      aggregateExpressions.flatMap(_.aggregateFunction.inputAggBufferAttributes)

  protected override def ownMetrics: Map[String, SQLMetric] =
    Map("spilledBytes" -> SQLMetrics.createSizeMetric(sparkContext, "spill size"))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "grouping" -> Json.array(groupingExpressions.map(encoder.encode(_, child.output))),
    "aggregates" -> Json.array(aggregateExpressions.map(encodeAggregate(_, encoder))),
    "results" -> Json.array(encodeResults(encoder)))

  private def encodeAggregate(
      aggregate: AggregateExpression,
      encoder: ExpressionEncoder): ObjectNode = {
    val function = aggregate.aggregateFunction
    val merges = aggregate.mode == PartialMerge || aggregate.mode == Final
    val own = encoder
      .encodeBySpark(aggregate, child.output)
      .getOrElse(ownFields(aggregate, merges, encoder))
    val fields = own ++ Seq(
      "mode" -> Json.text(aggregate.mode.toString),
      "distinct" -> Json.bool(aggregate.isDistinct),
      "type" -> Json.dataType(function.dataType),
      "nullable" -> Json.bool(function.nullable),
      "buffers" -> Json.array(encodeBuffers(function, merges)))
    Json.obj(fields: _*)
  }

  private def ownFields(
      aggregate: AggregateExpression,
      merges: Boolean,
      encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val function = aggregate.aggregateFunction
    val arguments = ConstantArguments.of(function)
    val children =
      if (merges) arguments.map(BroadheadHashAggregate.withoutRows(_, encoder))
      else arguments.map(encoder.encode(_, child.output))
    val filter = aggregate.filter.filterNot(_ => merges)
    Seq(
      "class" -> Json.text(function.getClass.getSimpleName),
      "fields" -> encoder.encodeFields(function),
      "children" -> Json.array(children),
      "filter" -> filter.map(encoder.encode(_, child.output)).getOrElse(Json.Null))
  }

  private def encodeBuffers(function: AggregateFunction, merges: Boolean): Seq[ObjectNode] = {
    val input: AttributeSeq = inputAttributes
    function.aggBufferAttributes.zip(function.inputAggBufferAttributes).map {
      case (buffer, merged) =>
        Json.obj(
          "type" -> Json.dataType(buffer.dataType),
          "nullable" -> Json.bool(buffer.nullable),
          "ordinal" -> (if (merges) Json.number(input.indexOf(merged.exprId).toLong)
                        else Json.Null))
    }
  }

  /**
   * The result expressions over the grouping values and the results of the aggregates. Phases
   * that return buffers return all of them, in order; their attributes need not be bound by id.
   */
  private def encodeResults(encoder: ExpressionEncoder): Seq[ObjectNode] = {
    val grouping = groupingExpressions.map(_.toAttribute)
    val givesBuffers =
      aggregateExpressions.exists(a => a.mode == Partial || a.mode == PartialMerge)
    if (givesBuffers) {
      val aggregated = grouping ++ aggregateBufferAttributes
      aggregated.map(encoder.encode(_, aggregated))
    } else {
      resultExpressions.map(encoder.encode(_, grouping ++ aggregateAttributes))
    }
  }

  override def simpleString(maxFields: Int): String = {
    val keys = truncatedString(groupingExpressions, "[", ", ", "]", maxFields)
    val functions = truncatedString(aggregateExpressions, "[", ", ", "]", maxFields)
    val columns = truncatedString(output, "[", ", ", "]", maxFields)
    s"$nodeName(keys=$keys, functions=$functions, output=$columns)"
  }

  override def verboseString(maxFields: Int): String = simpleString(maxFields)

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadHashAggregate =
    copy(child = newChild)
}

private[broadhead] object BroadheadHashAggregate {

  /** An input of an aggregate function in a phase that reads buffers instead. */
  private def withoutRows(input: Expression, encoder: ExpressionEncoder): JsonNode = input match {
    case literal: Literal => encoder.encode(literal, Seq.empty[Attribute])
    case other =>
      Json.obj("class" -> Json.text("Unbound"), "type" -> Json.dataType(other.dataType))
  }
}

private[broadhead] class AggregateCase[P <: BaseAggregateExec](
    override val name: String,
    override val dropsRequiredOrder: Boolean = false)
    extends OperatorCase[P] {

  /** Spark's generated code adds numbers up as fast as they could be handed on. */
  override def worksOnNumbers(aggregate: P): Boolean = aggregate.groupingExpressions.nonEmpty

  override def inputOrder(isOurs: Boolean): InputOrder =
    if (isOurs) InputOrder.Ignored else InputOrder.Used

  override def reasons(aggregate: P, support: ExpressionSupport): Seq[String] =
    (aggregate.child.output ++ aggregate.output).flatMap(support.columnReasons) ++
      aggregate.groupingExpressions.flatMap(groupingReasons(_, support)) ++
      aggregate.aggregateExpressions.flatMap(support.aggregateReasons) ++
      aggregate.resultExpressions.flatMap(support.reasons)

  override def convert(aggregate: P, children: Seq[SparkPlan]): SparkPlan =
    BroadheadHashAggregate(
      aggregate.requiredChildDistributionExpressions,
      aggregate.isStreaming,
      aggregate.numShufflePartitions,
      aggregate.groupingExpressions,
      aggregate.aggregateExpressions,
      aggregate.aggregateAttributes,
      aggregate.initialInputBufferOffset,
      aggregate.resultExpressions,
      children.head)

  private def groupingReasons(
      grouping: NamedExpression,
      support: ExpressionSupport): Seq[String] =
    if (TypeNames.holdsMap(grouping.dataType)) {
      Seq(
        s"grouping by ${grouping.name} of type ${grouping.dataType.simpleString} " +
          "is not supported")
    } else {
      support.reasons(grouping)
    }
}
