package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.encoding.{ExpressionSupport, SortOrders}
import org.apache.spark.sql.broadhead.fragment.{InputOrder, OperatorCase}
import org.apache.spark.sql.broadhead.results.CollectJob
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution._

/**
 * Spark's `TakeOrderedAndProjectExec` over a fragment with the first rows of each partition.
 *
 * @param limit number of rows including those of the offset
 */
case class BroadheadTakeOrderedAndProject(
    limit: Int,
    sortOrder: Seq[SortOrder],
    projectList: Seq[NamedExpression],
    child: SparkPlan,
    offset: Int)
    extends CollectOperator {

  override def output: Seq[Attribute] = projectList.map(_.toAttribute)

  override def outputOrdering: Seq[SortOrder] = sortOrder

  override def executeCollect(): Array[InternalRow] = executeQuery {
    val ordering = new LazilyGeneratedOrdering(sortOrder, child.output)
    val copies = child.execute().mapPartitionsInternal(_.map(_.copy()))
    var sorted = Array.empty[InternalRow]
    // Each partition returns only its first rows.
    CollectJob.foreachPartition(copies) { (_, rows) =>
      sorted = (sorted ++ rows).sorted(ordering).take(limit)
    }
    val first = sorted.drop(offset)
    if (projectList == child.output) {
      first
    } else {
      val projection = UnsafeProjection.create(projectList, child.output)
      first.map(row => projection(row).copy())
    }
  }

  protected override def merged(rows: SparkPlan): SparkPlan = {
    val sorted = BroadheadSort(sortOrder, global = false, Some(limit), rows)
    val first = if (offset > 0) BroadheadGlobalLimit(limit, sorted, offset) else sorted
    if (projectList == rows.output) first else BroadheadProject(projectList, first)
  }

  override def simpleString(maxFields: Int): String = {
    val order = truncatedString(sortOrder, "[", ",", "]", maxFields)
    val columns = truncatedString(output, "[", ",", "]", maxFields)
    val skipped = if (offset > 0) s", offset=$offset" else ""
    s"$nodeName(limit=$limit$skipped, orderBy=$order, output=$columns)"
  }

  override def verboseStringWithOperatorId(): String =
    describeAs(TakeOrderedAndProjectExec(limit, sortOrder, projectList, child, offset))

  protected override def withNewChildInternal(
      newChild: SparkPlan): BroadheadTakeOrderedAndProject = copy(child = newChild)
}

private[broadhead] object TakeOrderedAndProjectCase
    extends OperatorCase[TakeOrderedAndProjectExec] {

  override def name: String = "TakeOrderedAndProject"

  override def inputOrder(isOurs: Boolean): InputOrder = InputOrder.Ignored

  override def endsFragment: Boolean = true

  override def reasons(take: TakeOrderedAndProjectExec, support: ExpressionSupport): Seq[String] =
    (take.child.output ++ take.output).flatMap(support.columnReasons) ++
      take.sortOrder.flatMap(SortOrders.reasons(_, support)) ++
      take.projectList.flatMap(support.reasons)

  override def convert(take: TakeOrderedAndProjectExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadTakeOrderedAndProject(
      take.limit,
      take.sortOrder,
      take.projectList,
      BroadheadSort(take.sortOrder, global = false, Some(take.limit), children.head),
      take.offset)
}
