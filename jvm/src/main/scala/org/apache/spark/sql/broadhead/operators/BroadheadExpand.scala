package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase}
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._

/** Spark's `ExpandExec` in the engine: several projections of each row. */
case class BroadheadExpand(
    projections: Seq[Seq[Expression]],
    output: Seq[Attribute],
    child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "Expand"

  @transient override lazy val original: ExpandExec =
    VersionedSpark
      .make[ExpandExec](ExpandExec, projections, output, FragmentEncoder.originalOf(child))

  /** A projection may change the value of a column of the child. */
  override def outputPartitioning: Partitioning = original.outputPartitioning

  @transient override lazy val references: AttributeSet =
    AttributeSet.fromAttributeSets(projections.flatten.map(_.references))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "projections" -> Json.array(projections.map { projection =>
      Json.array(projection.map(encoder.encode(_, child.output)))
    }))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadExpand =
    copy(child = newChild)
}

private[broadhead] object ExpandCase extends OperatorCase[ExpandExec] {
  override def name: String = "Expand"

  override def reasons(expand: ExpandExec, support: ExpressionSupport): Seq[String] =
    (expand.child.output ++ expand.output).flatMap(support.columnReasons) ++
      expand.projections.flatten.distinct.flatMap(support.reasons)

  override def convert(expand: ExpandExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadExpand(expand.projections, expand.output, children.head)
}
