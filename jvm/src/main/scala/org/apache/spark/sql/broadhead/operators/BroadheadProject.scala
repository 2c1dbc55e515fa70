package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, InputOrder, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSeq, NamedExpression, SortOrder}
import org.apache.spark.sql.execution._

/** Spark's `ProjectExec` in the engine. */
case class BroadheadProject(projectList: Seq[NamedExpression], child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator
    with PartitioningPreservingUnaryExecNode
    with OrderPreservingUnaryExecNode {

  override def operatorName: String = "Project"

  @transient override lazy val original: ProjectExec =
    ProjectExec(projectList, FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = projectList.map(_.toAttribute)

  protected override def outputExpressions: Seq[NamedExpression] = projectList

  protected override def orderingExpressions: Seq[SortOrder] = child.outputOrdering

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val input: AttributeSeq = child.output
    Seq("expressions" -> Json.array(projectList.map(encoder.encode(_, input))))
  }

  override def keepsOrder: Boolean = inputKeepsOrder

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadProject =
    copy(child = newChild)
}

private[broadhead] object ProjectCase extends OperatorCase[ProjectExec] {
  override def name: String = "Project"

  override def isLight(plan: ProjectExec): Boolean = true

  override def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Passed

  override def reasons(project: ProjectExec, support: ExpressionSupport): Seq[String] = {
    val (read, _) = FileOfRow.split(project.projectList)
    val (columns, ids) =
      RowIds.split(if (FileOfRow.isAboveScan(project)) read else project.projectList)
    (project.child.output ++ project.output).flatMap(support.columnReasons) ++
      columns.flatMap(support.reasons) ++
      RowIds.reasons(columns, ids, project.child, support)
  }

  override def convert(project: ProjectExec, children: Seq[SparkPlan]): SparkPlan = {
    val (read, ofFile) = FileOfRow.split(project.projectList)
    val child = children.head match {
      case scan: BroadheadFileSourceScan if ofFile.nonEmpty => scan.copy(ofFile = ofFile)
      case other => other
    }
    RowIds.split(read) match {
      case (columns, Nil) => BroadheadProject(columns, child)
      case (columns, ids) => BroadheadProject(columns, BroadheadRowIds(ids, child))
    }
  }
}
