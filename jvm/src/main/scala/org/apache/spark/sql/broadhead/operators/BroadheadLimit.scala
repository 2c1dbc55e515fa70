package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._

/** The first rows of each partition; the engine reads no further than needed. */
private[broadhead] trait BroadheadLimit extends UnaryExecNode with FragmentOperator {

  /** Number of rows including those of the offset; negative for all. */
  def limit: Int

  /** Rows that are dropped first. */
  def offset: Int

  override def operatorName: String = "Limit"

  override def output: Seq[Attribute] = child.output

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "limit" -> (if (limit < 0) Json.Null else Json.number(math.max(0, limit - offset).toLong)),
    "offset" -> Json.number(offset.toLong))

  override def verboseStringWithOperatorId(): String = describeAs(original)
}

/** Spark's `LocalLimitExec` in the engine. */
case class BroadheadLocalLimit(limit: Int, child: SparkPlan) extends BroadheadLimit {
  override def offset: Int = 0

  @transient override lazy val original: SparkPlan =
    LocalLimitExec(limit, FragmentEncoder.originalOf(child))

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadLocalLimit =
    copy(child = newChild)
}

/** Spark's `GlobalLimitExec` in the engine. */
case class BroadheadGlobalLimit(limit: Int, child: SparkPlan, offset: Int)
    extends BroadheadLimit {

  @transient override lazy val original: SparkPlan =
    GlobalLimitExec(limit, FragmentEncoder.originalOf(child), offset)

  override def requiredChildDistribution: Seq[Distribution] = Seq(AllTuples)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadGlobalLimit =
    copy(child = newChild)
}

private[broadhead] object LocalLimitCase extends OperatorCase[LocalLimitExec] {
  override def name: String = "LocalLimit"

  override def isLight(plan: LocalLimitExec): Boolean = true

  override def endsQuery: Boolean = true

  override def reasons(limit: LocalLimitExec, support: ExpressionSupport): Seq[String] =
    limit.output.flatMap(support.columnReasons)

  override def convert(limit: LocalLimitExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadLocalLimit(limit.limit, children.head)
}

private[broadhead] object GlobalLimitCase extends OperatorCase[GlobalLimitExec] {
  override def name: String = "GlobalLimit"

  override def isLight(plan: GlobalLimitExec): Boolean = true

  override def endsQuery: Boolean = true

  override def reasons(limit: GlobalLimitExec, support: ExpressionSupport): Seq[String] =
    limit.output.flatMap(support.columnReasons)

  override def convert(limit: GlobalLimitExec, children: Seq[SparkPlan]): SparkPlan =
    BroadheadGlobalLimit(limit.limit, children.head, limit.offset)
}
