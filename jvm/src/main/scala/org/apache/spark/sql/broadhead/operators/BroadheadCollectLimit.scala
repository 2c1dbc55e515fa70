package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.encoding.ExpressionSupport
import org.apache.spark.sql.broadhead.fragment.OperatorCase
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution._

/**
 * Spark's `CollectLimitExec` over a fragment.
 *
 * @param limit number of rows including those of the offset; -1 for all
 */
case class BroadheadCollectLimit(limit: Int, child: SparkPlan, offset: Int)
    extends CollectOperator {

  override def output: Seq[Attribute] = child.output

  /** Runs few tasks first, and more only while rows are missing. */
  override def executeCollect(): Array[InternalRow] = {
    val rows = if (limit >= 0) child.executeTake(limit) else child.executeCollect()
    if (offset > 0) rows.drop(offset) else rows
  }

  protected override def merged(rows: SparkPlan): SparkPlan =
    BroadheadGlobalLimit(limit, rows, offset)

  override def verboseStringWithOperatorId(): String =
    describeAs(CollectLimitExec(limit, child, offset))

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadCollectLimit =
    copy(child = newChild)
}

private[broadhead] object CollectLimitCase extends OperatorCase[CollectLimitExec] {
  override def name: String = "CollectLimit"

  override def isLight(plan: CollectLimitExec): Boolean = true

  override def endsQuery: Boolean = true

  override def endsFragment: Boolean = true

  override def reasons(limit: CollectLimitExec, support: ExpressionSupport): Seq[String] =
    limit.output.flatMap(support.columnReasons)

  override def convert(limit: CollectLimitExec, children: Seq[SparkPlan]): SparkPlan = {
    val rows = children.head
    val limited = if (limit.limit < 0) rows else BroadheadLocalLimit(limit.limit, rows)
    BroadheadCollectLimit(limit.limit, limited, limit.offset)
  }
}
