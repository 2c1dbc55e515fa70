package org.apache.spark.sql.broadhead.pythonfunctions

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.api.python.PythonEvalType
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Reasons}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.{CompiledSpark, MapInPythonFields}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, PythonUDF}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.python.MapInBatchExec

/**
 * Spark's `MapInPandasExec` or `MapInArrowExec` in the engine: the rows that a function makes of
 * an iterator over the batches of a partition.
 */
case class BroadheadMapInPython(
    func: Expression,
    output: Seq[Attribute],
    child: SparkPlan,
    profile: Option[ResourceProfile])
    extends UnaryExecNode
    with PythonOperator {

  private def udf: PythonUDF = func.asInstanceOf[PythonUDF]

  private def isArrow: Boolean = udf.evalType == PythonEvalType.SQL_MAP_ARROW_ITER_UDF

  override def operatorName: String = if (isArrow) "MapInArrow" else "MapInPandas"

  override def nodeName: String = s"Broadhead$operatorName"

  override def calls: Seq[PythonCall] = Seq(PythonCall.of(udf))

  @transient override lazy val original: SparkPlan = {
    val input = FragmentEncoder.originalOf(child)
    val fields = MapInPythonFields(udf, isBarrier = false, profile)
    CompiledSpark.mapInPython(fields, output, input, isArrow)
  }

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    new PythonCallEncoder(encoder, child.output, conf).encodeRows(calls.head, child.output)

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadMapInPython =
    copy(child = newChild)
}

private[broadhead] class MapInPythonCase(override val name: String)
    extends OperatorCase[MapInBatchExec] {

  override def callsPython: Boolean = true

  override def fixesTasks(plan: MapInBatchExec): Boolean = true

  override def reasons(plan: MapInBatchExec, support: ExpressionSupport): Seq[String] = {
    val fields = CompiledSpark.mapFields(plan)
    (plan.child.output ++ plan.output).flatMap { column =>
      PythonCall.typeReasons(column.dataType, s"column ${column.name}", support)
    } ++
      PythonCall.functionReasons(PythonCall.of(fields.udf)) ++
      Reasons.when(fields.isBarrier)("its tasks are started together, by Spark") ++
      Reasons.when(fields.profile.isDefined)("it has a resource profile of its own") ++
      RepeatedNames.reasons(plan.child.output)
  }

  override def convert(plan: MapInBatchExec, children: Seq[SparkPlan]): SparkPlan = {
    val fields = CompiledSpark.mapFields(plan)
    BroadheadMapInPython(fields.udf, plan.output, children.head, fields.profile)
  }
}

/** Columns with equal names, for which PySpark's own worker raises or chooses by version. */
private[broadhead] object RepeatedNames {

  def reasons(columns: Seq[Attribute]): Seq[String] = {
    val names = columns.map(_.name)
    names.diff(names.distinct).distinct.map(name => s"the column name $name is repeated")
  }
}
