package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, RuntimeBloomFilters}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, InputOrder, OperatorCase}
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, IsNotNull, PredicateHelper, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, SparkPlan, UnaryExecNode}

/** Spark's `FilterExec` in the engine. */
case class BroadheadFilter(condition: Expression, child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "Filter"

  @transient override lazy val original: FilterExec =
    FilterExec(condition, FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = original.output

  override def mayReduce: Boolean = BroadheadFilter.isSelective(condition)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Seq("condition" -> encoder.encode(condition, child.output))

  override def keepsOrder: Boolean = FilterCase.keepsOrder(original, _ => inputKeepsOrder)

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadFilter =
    copy(child = newChild)
}

private[broadhead] object BroadheadFilter extends PredicateHelper {

  /** Spark adds conditions that keys are not null to every join. */
  def isSelective(condition: Expression): Boolean =
    splitConjunctivePredicates(condition).exists(!_.isInstanceOf[IsNotNull])
}

private[broadhead] object FilterCase extends OperatorCase[FilterExec] {
  override def name: String = "Filter"

  override def isLight(plan: FilterExec): Boolean = true

  override def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Passed

  /** The same as of the node, as far as `below` says it of the child. */
  def keepsOrder(plan: FilterExec, below: SparkPlan => Boolean): Boolean =
    plan.child match {
      case scan: FileSourceScanExec => FileSourceScanCase.givesAllThatPass(scan, plan.condition)
      case scan: BatchScanExec => BatchScanCase.givesAllThatPass(scan, plan.condition)
      case child => below(child)
    }

  override def reasons(filter: FilterExec, support: ExpressionSupport): Seq[String] = {
    val (condition, ids) = split(filter)
    filter.child.output.flatMap(support.columnReasons) ++
      support.reasons(condition) ++
      RowIds.reasons(Seq(condition), ids, filter.child, support) ++
      Optional.when(ids.nonEmpty && !filter.conf.wholeStageEnabled) {
        "random values in a filter are supported only with spark.sql.codegen.wholeStage"
      }
  }

  override def convert(filter: FilterExec, children: Seq[SparkPlan]): SparkPlan =
    split(filter) match {
      case (condition, Nil) => BroadheadFilter(condition, children.head)
      case (condition, ids) =>
        val kept = BroadheadFilter(condition, BroadheadRowIds(ids, children.head))
        BroadheadProject(children.head.output, kept)
    }

  /** The condition over columns that follow from the rows' positions, and these. */
  private def split(filter: FilterExec): (Expression, Seq[Alias]) = {
    val condition = RuntimeBloomFilters.leaveOut(filter.condition)
    val (read, ids) = RowIds.split(Seq(Alias(condition, "condition")()))
    (read.head.children.head, ids)
  }
}
