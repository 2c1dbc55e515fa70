package org.apache.spark.sql.broadhead.pythonfunctions

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.api.python.PythonEvalType
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, SortOrders, WindowColumns, WindowFunctionEncoder, WindowSupport}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.broadhead.operators.BroadheadProject
import org.apache.spark.sql.broadhead.versions.{ProductNames, VersionedSpark}
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, Expression, NamedExpression, PythonUDAF, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Spark's `ArrowWindowPythonExec` (`WindowInPandasExec` in Spark 4.0) in the engine: the child's
 * columns, and the values of functions over the frame of each row.
 */
case class BroadheadWindowPython(
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan,
    evalType: Int,
    operatorName: String)
    extends UnaryExecNode
    with PythonOperator {

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = windowExpression.map(WindowPythonCase.call)

  @transient override lazy val original: SparkPlan = VersionedSpark.windowInPython(
    windowExpression,
    partitionSpec,
    orderSpec,
    FragmentEncoder.originalOf(child),
    evalType)

  override def output: Seq[Attribute] = child.output ++ windowExpression.map(_.toAttribute)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(Grouped.by(partitionSpec))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(partitionSpec.map(SortOrder(_, Ascending)) ++ orderSpec)

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val frames = new WindowFunctionEncoder(encoder, child.output, orderSpec)
    Seq(
      "partition" -> Json.array(partitionSpec.map(encoder.encode(_, child.output))),
      "order" -> SortOrders.encode(orderSpec, encoder, child.output),
      "frames" -> Json.array(windowExpression.map(frames.encodeFrameOf))) ++
      new PythonCallEncoder(encoder, child.output, conf).encode(calls, evalType)
  }

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadWindowPython =
    copy(child = newChild)
}

private[broadhead] class WindowPythonCase(override val name: String)
    extends OperatorCase[SparkPlan] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: SparkPlan): Boolean = true

  override def reasons(plan: SparkPlan, support: ExpressionSupport): Seq[String] = {
    val fields = new WindowPythonFields(plan)
    val columns = WindowColumns.of(fields.windows)
    plan.output.flatMap(support.columnReasons) ++
      WindowSupport.keyReasons(fields.partition, fields.order, support) ++
      columns.windows.flatMap { window =>
        PythonCall.reasons(WindowPythonCase.call(window), support) ++
          WindowSupport.frameReasonsOf(window)
      } ++
      columns.computed.flatMap(support.reasons)
  }

  override def convert(plan: SparkPlan, children: Seq[SparkPlan]): SparkPlan = {
    val fields = new WindowPythonFields(plan)
    val columns = WindowColumns.of(fields.windows)
    val over = BroadheadWindowPython(
      columns.windows,
      fields.partition,
      fields.order,
      children.head,
      fields.evalType,
      name)
    if (columns.computed.isEmpty) over
    else BroadheadProject(children.head.output ++ columns.results, over)
  }
}

private[broadhead] object WindowPythonCase {

  /** The call of a named window expression. */
  def call(column: NamedExpression): PythonCall = column match {
    case WindowFunctionEncoder.Windowed(window, _) =>
      val aggregate = window.windowFunction.asInstanceOf[AggregateExpression]
      PythonCall.of(aggregate.aggregateFunction.asInstanceOf[PythonUDAF])
    case other =>
      throw new IllegalStateException(s"${other.sql} is not a window function with a frame")
  }
}

/** The fields of Spark's operator, whose class has another name in each version. */
private class WindowPythonFields(plan: SparkPlan) {
  val windows: Seq[NamedExpression] =
    VersionedSpark.field[Seq[NamedExpression]](plan, "windowExpression")

  val partition: Seq[Expression] = VersionedSpark.field[Seq[Expression]](plan, "partitionSpec")

  val order: Seq[SortOrder] = VersionedSpark.field[Seq[SortOrder]](plan, "orderSpec")

  /** The functions themselves have the eval type of aggregate functions. */
  val evalType: Int =
    if (ProductNames.of(plan).contains("evalType")) VersionedSpark.field[Int](plan, "evalType")
    else PythonEvalType.SQL_WINDOW_AGG_PANDAS_UDF
}
