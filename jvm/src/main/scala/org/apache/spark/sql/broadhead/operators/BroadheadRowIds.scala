package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, LevelReasons}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, PartitionDependent}
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.{BaseAggregateExec, HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec}

/**
 * The rows of its child with columns that follow from their position: ids, the number of the
 * partition, random numbers. In Spark these are expressions of the operator above.
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

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    Seq("columns" -> Json.array(ids.map(id => RowFunction.encoded(id.child))))

  override def keepsOrder: Boolean = inputKeepsOrder

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadRowIds =
    copy(child = newChild)
}

private[broadhead] object RowIds {

  /** Expressions over the columns of a [[BroadheadRowIds]], and these. */
  def split(expressions: Seq[NamedExpression]): (Seq[NamedExpression], Seq[Alias]) = {
    val partition = Alias(SparkPartitionID(), "partition_id")()
    val columns = expressions.map { expression =>
      val calls = RowFunction.ofEveryRow(expression).map { call =>
        call -> Alias(call, expression.name)()
      }
      val read = replaced(expression, calls).transform { case _: SparkPartitionID =>
        partition.toAttribute
      }
      val ofPartition =
        if (expression.exists(_.isInstanceOf[SparkPartitionID])) Seq(partition) else Nil
      (read.asInstanceOf[NamedExpression], calls.map(_._2) ++ ofPartition)
    }
    (columns.map(_._1), columns.flatMap(_._2).distinct)
  }

  /** Calls are told apart by identity: two that are equal draw their numbers independently. */
  private def replaced(expression: Expression, calls: Seq[(Expression, Alias)]): Expression =
    calls.find(_._1 eq expression) match {
      case Some((_, column)) => column.toAttribute
      case None => expression.mapChildren(replaced(_, calls))
    }

  /** The plan with these columns in projections, where Spark has put them into an aggregation. */
  def aboveAggregates(root: SparkPlan): SparkPlan = root.transformUp {
    case aggregate: HashAggregateExec if has(aggregate) =>
      projected(aggregate, kept => aggregate.copy(resultExpressions = kept))
    case aggregate: SortAggregateExec if has(aggregate) =>
      projected(aggregate, kept => aggregate.copy(resultExpressions = kept))
    case aggregate: ObjectHashAggregateExec if has(aggregate) =>
      projected(aggregate, kept => aggregate.copy(resultExpressions = kept))
  }

  private def has(aggregate: BaseAggregateExec): Boolean =
    split(aggregate.resultExpressions)._2.nonEmpty

  private def projected(
      aggregate: BaseAggregateExec,
      keeping: Seq[NamedExpression] => SparkPlan): SparkPlan = {
    val results = aggregate.resultExpressions
    val below = keeping(results.flatMap(_.references).distinct)
    val plan = ProjectExec(results, below)
    Seq(below, plan).foreach(_.copyTagsFrom(aggregate))
    plan
  }

  /** Why the engine cannot make the columns; `read` are the expressions without them. */
  def reasons(
      read: Seq[Expression],
      ids: Seq[Alias],
      below: SparkPlan,
      support: ExpressionSupport): Seq[String] = {
    val ofSomeRows = read.flatMap(RowFunction.all).headOption.map { call =>
      s"${call.prettyName}() is supported only where Spark evaluates it for every row"
    }
    val elsewhere = Optional.when(support.exactOnly && ids.nonEmpty && !keepsPositions(below)) {
      LevelReasons.of("the position of a row above other operators than scans", "any order")
    }
    ofSomeRows.toSeq ++ elsewhere
  }

  private def keepsPositions(plan: SparkPlan): Boolean = plan match {
    case scan: FileSourceScanExec => keepsOrder(scan)
    case _: RangeExec => true
    case unary @ (_: ProjectExec | _: FilterExec) =>
      unary.children.head match {
        // The filter decides whether the scan may skip rows.
        case _: FileSourceScanExec => keepsOrder(unary)
        case other => keepsPositions(other) && keepsOrder(unary)
      }
    case _ => false
  }

  private def keepsOrder(plan: SparkPlan): Boolean = plan match {
    case scan: FileSourceScanExec =>
      ScanFormat.of(scan).isDefined && FileSourceScanCase.keepsOrder(scan)
    case _: RangeExec => true
    case project: ProjectExec => keepsOrder(project.child)
    case filter: FilterExec => FilterCase.keepsOrder(filter, keepsOrder)
    case _ => false
  }
}
