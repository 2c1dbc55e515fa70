package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, FragmentEncoder, Json}
import org.apache.spark.sql.broadhead.execution.PartitionDependent
import org.apache.spark.sql.broadhead.planning.OperatorCases
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._

/**
 * The rows of its child with columns that follow from their place: `monotonically_increasing_id`
 * and `spark_partition_id`. In Spark these are expressions of the projection above.
 */
private[broadhead] case class BroadheadRowIds(ids: Seq[Alias], child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator
    with PartitionDependent {

  override def operatorName: String = "RowIds"

  @transient override lazy val original: ProjectExec =
    ProjectExec(child.output ++ ids, FragmentEncoder.originalOf(child))

  override def output: Seq[Attribute] = child.output ++ ids.map(_.toAttribute)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "ofPartition" -> Json.array(ids.map(id =>
      Json.bool(id.child.isInstanceOf[SparkPartitionID]))))

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadRowIds =
    copy(child = newChild)
}

private[broadhead] object RowIds {

  /** A projection over the columns of a [[BroadheadRowIds]], and these. */
  def split(projections: Seq[NamedExpression]): (Seq[NamedExpression], Seq[Alias]) = {
    val partition = Alias(SparkPartitionID(), "partition_id")()
    val columns = projections.map {
      case alias @ Alias(_: MonotonicallyIncreasingID, name) =>
        val id = Alias(MonotonicallyIncreasingID(), name)()
        (alias.withNewChildren(Seq(id.toAttribute)).asInstanceOf[NamedExpression], Seq(id))
      case other if other.exists(_.isInstanceOf[SparkPartitionID]) =>
        val column = other.transform { case _: SparkPartitionID => partition.toAttribute }
        (column.asInstanceOf[NamedExpression], Seq(partition))
      case other => (other, Nil)
    }
    (columns.map(_._1), columns.flatMap(_._2).distinct)
  }

  /** Why the rows below do not have the same places as in Spark. */
  def reasons(below: SparkPlan): Seq[String] =
    if (isInPlace(below)) Nil
    else
      Seq(
        "monotonically_increasing_id() and spark_partition_id() are supported only above a scan " +
          "of files, with filters and projections between")

  private def isInPlace(plan: SparkPlan): Boolean = plan match {
    case scan: FileSourceScanExec => keepsOrder(scan)
    case unary @ (_: ProjectExec | _: FilterExec) =>
      unary.children.head match {
        // The filter decides whether the scan may skip rows.
        case _: FileSourceScanExec => keepsOrder(unary)
        case other => isInPlace(other) && keepsOrder(unary)
      }
    case _ => false
  }

  private def keepsOrder(plan: SparkPlan): Boolean =
    OperatorCases.find(plan).exists(_.keepsOrder(keepsOrder))
}
