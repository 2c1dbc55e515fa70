package org.apache.spark.sql.broadhead.pythonfunctions

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, WindowSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.{CompiledSpark, VersionedSpark}
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, Expression, PythonUDF, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, ClusteredDistribution, Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Spark's `FlatMapGroupsInPandasExec` or `FlatMapGroupsInArrowExec` in the engine: the rows that a
 * function makes of each group. The input is sorted by the groups' keys.
 */
case class BroadheadFlatMapGroups(
    groupingAttributes: Seq[Attribute],
    func: Expression,
    output: Seq[Attribute],
    child: SparkPlan,
    inArrow: Boolean)
    extends UnaryExecNode
    with PythonOperator {

  override def operatorName: String =
    if (inArrow) "FlatMapGroupsInArrow" else "FlatMapGroupsInPandas"

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = Seq(PythonCall.of(func.asInstanceOf[PythonUDF]))

  @transient override lazy val original: SparkPlan = {
    val input = FragmentEncoder.originalOf(child)
    CompiledSpark.flatMapGroups(groupingAttributes, func, output, input, inArrow)
  }

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] = Seq(Grouped.by(groupingAttributes))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(groupingAttributes.map(SortOrder(_, Ascending)))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Grouped.encode(encoder, groupingAttributes, child.output) ++
      new PythonCallEncoder(encoder, child.output, conf)
        .encodeRows(calls.head, Grouped.data(groupingAttributes, child.output))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadFlatMapGroups =
    copy(child = newChild)
}

private[broadhead] class FlatMapGroupsCase(override val name: String)
    extends OperatorCase[CompiledSpark.FlatMapGroups] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: CompiledSpark.FlatMapGroups): Boolean = true

  override def reasons(
      plan: CompiledSpark.FlatMapGroups,
      support: ExpressionSupport): Seq[String] =
    (plan.child.output ++ plan.output).flatMap { column =>
      PythonCall.typeReasons(column.dataType, s"column ${column.name}", support)
    } ++
      WindowSupport.keyReasons(plan.groupingAttributes, Nil, support) ++
      PythonCall.functionReasons(PythonCall.of(plan.func.asInstanceOf[PythonUDF]))

  override def convert(plan: CompiledSpark.FlatMapGroups, children: Seq[SparkPlan]): SparkPlan =
    BroadheadFlatMapGroups(
      plan.groupingAttributes,
      plan.func,
      plan.output,
      children.head,
      CompiledSpark.isArrowOfGroups(plan))
}

/** Rows of one side grouped by their first columns, as Spark arranges them for Python. */
private[broadhead] object Grouped {

  /** The rows of each group in one task. The distribution has more parameters in Spark 4.3. */
  def by(keys: Seq[Expression]): Distribution =
    if (keys.isEmpty) AllTuples
    else VersionedSpark.make[Distribution](ClusteredDistribution, keys)

  /** The columns that the function gets: those after the grouping columns. */
  def data(keys: Seq[Attribute], columns: Seq[Attribute]): Seq[Attribute] = {
    val values = columns.drop(keys.length)
    keys.filterNot(key => values.exists(_.semanticEquals(key))) ++ values
  }

  /** The keys, and the ordinals of keys and values among the columns of [[data]]. */
  def encode(
      encoder: ExpressionEncoder,
      keys: Seq[Attribute],
      columns: Seq[Attribute]): Seq[(String, JsonNode)] = {
    val sent = data(keys, columns)
    val first = sent.length - (columns.length - keys.length)
    Seq(
      "grouping" -> Json.array(keys.map(encoder.encode(_, columns))),
      "keys" -> Json.array(keys.map(key => Json.number(ordinal(key, sent, first)))),
      "values" -> Json.array((first until sent.length).map(value => Json.number(value.toLong))))
  }

  /** A key that is also a value is taken from the values, as Spark does. */
  private def ordinal(key: Attribute, sent: Seq[Attribute], first: Int): Long =
    sent.indexWhere(key.semanticEquals, first) match {
      case -1 => sent.indexWhere(key.semanticEquals).toLong
      case value => value.toLong
    }
}
