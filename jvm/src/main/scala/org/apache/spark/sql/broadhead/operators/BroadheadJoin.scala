package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, TypeNames}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator, InputOrder, OperatorCase}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.joins.{BaseJoinExec, BroadcastNestedLoopJoinExec, HashJoin}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.DataType

/**
 * Common properties of Broadhead's joins: those of Spark's join over the same children, but
 * without an order of rows.
 */
private[broadhead] trait BroadheadJoin extends BaseJoinExec with FragmentOperator {

  /** The side that the engine keeps in a hash table; the other one is the probe side. */
  def buildSide: BuildSide

  /** Spark's join over these children. */
  protected def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan

  @transient override lazy val original: SparkPlan =
    joinOf(FragmentEncoder.originalOf(left), FragmentEncoder.originalOf(right))

  /** Spark's join that this node replaces. */
  @transient protected lazy val counterpart: SparkPlan = joinOf(left, right)

  override def output: Seq[Attribute] = counterpart.output

  override def outputPartitioning: Partitioning = counterpart.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = Nil

  override def inputOrder: InputOrder = InputOrder.Ignored

  override def requiredChildDistribution: Seq[Distribution] =
    counterpart.requiredChildDistribution

  protected override def ownMetrics: Map[String, SQLMetric] =
    Map("spilledBytes" -> SQLMetrics.createSizeMetric(sparkContext, "spill size"))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = {
    val both = left.output ++ right.output
    Seq(
      "joinType" -> Json.text(JoinSupport.nameOf(joinType).getOrElse(joinType.sql)),
      "buildSide" -> Json.text(if (buildSide == BuildLeft) "left" else "right"),
      "condition" -> condition.map(encoder.encode(_, both)).getOrElse(Json.Null))
  }

  override def verboseStringWithOperatorId(): String = describeAs(counterpart)
}

/** A join with keys. */
private[broadhead] trait BroadheadHashJoin extends BroadheadJoin {

  /** Whether it is the anti join of `NOT IN`. */
  protected def nullAware: Boolean

  override def operatorName: String = "HashJoin"

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] =
    super.encodeFields(encoder) ++ Seq(
      "leftKeys" -> Json.array(leftKeys.map(encoder.encode(_, left.output))),
      "rightKeys" -> Json.array(rightKeys.map(encoder.encode(_, right.output))),
      "nullAware" -> Json.bool(nullAware))
}

/** A join with only a condition. */
private[broadhead] trait BroadheadNestedLoopJoin extends BroadheadJoin {
  override def operatorName: String = "NestedLoopJoin"

  override def leftKeys: Seq[Expression] = Nil

  override def rightKeys: Seq[Expression] = Nil

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan =
    BroadcastNestedLoopJoinExec(left, right, buildSide, joinType, condition)
}

/** The properties of joins that the planner asks for. */
private[broadhead] trait JoinCase[P <: BaseJoinExec] extends OperatorCase[P] {
  override def reasons(join: P, support: ExpressionSupport): Seq[String] =
    JoinSupport.reasons(join, support)

  override def inputOrder(isOurs: Boolean): InputOrder =
    if (isOurs) InputOrder.Ignored else InputOrder.Used
}

/** The support of joins. */
private[broadhead] object JoinSupport {

  /** The join type in the wire format. */
  def nameOf(joinType: JoinType): Option[String] = joinType match {
    case Inner | Cross => Some("Inner")
    case LeftOuter => Some("LeftOuter")
    case RightOuter => Some("RightOuter")
    case FullOuter => Some("FullOuter")
    case LeftSemi => Some("LeftSemi")
    case LeftAnti => Some("LeftAnti")
    case _: ExistenceJoin => Some("ExistenceJoin")
    case _ => None
  }

  /** Why the engine cannot run a join of any class. */
  def reasons(join: BaseJoinExec, support: ExpressionSupport): Seq[String] = {
    val columns = (join.left.output ++ join.right.output).flatMap(support.columnReasons)
    val kind =
      if (nameOf(join.joinType).isDefined) Nil
      else Seq(s"join type ${join.joinType.sql} is not supported")
    val keys = join.leftKeys.zip(join.rightKeys).flatMap { case (left, right) =>
      keyReasons(left, right, support)
    }
    columns ++ kind ++ keys ++ hashReasons(join) ++ join.condition.toSeq.flatMap(support.reasons)
  }

  /** Spark 4.0 hashes such strings by their bytes in NOT IN, although other bytes may be equal. */
  private def hashReasons(join: BaseJoinExec): Seq[String] = join match {
    case _: HashJoin =>
      join.leftKeys.map(_.dataType).filter(TypeNames.equalsByKeys).map { key =>
        s"a hash join on a key of type ${key.simpleString} is not supported"
      }
    case _ => Nil
  }

  private def keyReasons(
      left: Expression,
      right: Expression,
      support: ExpressionSupport): Seq[String] = {
    val name = left.dataType.simpleString
    if (TypeNames.holdsMap(left.dataType)) {
      Seq(s"a join on a key of type $name is not supported")
    } else if (!DataType.equalsStructurally(left.dataType, right.dataType, true)) {
      Seq(s"a join on keys of types $name and ${right.dataType.simpleString} is not supported")
    } else {
      support.reasons(left) ++ support.reasons(right)
    }
  }

  /** Whether unmatched rows of the build side are returned. */
  def keepsBuildRows(joinType: JoinType, buildSide: BuildSide): Boolean = joinType match {
    case Inner | Cross => false
    case FullOuter => true
    case RightOuter => buildSide == BuildRight
    case _ => buildSide == BuildLeft
  }

  /** The better build side. */
  def smallerSide(left: SparkPlan, right: SparkPlan): BuildSide = {
    val sizes = for (l <- sizeOf(left); r <- sizeOf(right)) yield l < r
    if (sizes.contains(true)) BuildLeft else BuildRight
  }

  /** Estimated size of a plan, in bytes: a measured one has priority over Spark's estimate. */
  private def sizeOf(plan: SparkPlan): Option[BigInt] = {
    val measured = plan match {
      case stage: QueryStageExec => stage.computeStats().map(_.sizeInBytes)
      case AQEShuffleReadExec(child, _) => sizeOf(child)
      case _ => None
    }
    measured
      .orElse(plan.logicalLink.map(_.stats.sizeInBytes))
      .orElse(if (plan.children.length == 1) sizeOf(plan.children.head) else None)
  }
}
