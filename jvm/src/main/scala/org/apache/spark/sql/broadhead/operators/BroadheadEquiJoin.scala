package org.apache.spark.sql.broadhead.operators

import org.apache.spark.sql.broadhead.fragment.FragmentEncoder
import org.apache.spark.sql.broadhead.versions.{Optional, VersionedSpark}
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildSide}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastDistribution, BroadcastMode}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.{SortExec, SparkPlan}

/**
 * Which of Spark's joins with keys the engine runs, all of them as a hash join.
 *
 * @param isSkewed whether adaptive execution has split large partitions of the sides
 */
sealed abstract class EquiJoinKind(val name: String, val isSkewed: Boolean) extends Serializable

object EquiJoinKind {

  /** @param isNullAware whether it is the anti join of `NOT IN` */
  case class Broadcast(isNullAware: Boolean)
      extends EquiJoinKind("BroadcastHashJoin", isSkewed = false)

  case class ShuffledHash(skewed: Boolean) extends EquiJoinKind("ShuffledHashJoin", skewed)

  /** The engine does not sort the sides, and either can be built for every join type. */
  case class SortMerge(skewed: Boolean) extends EquiJoinKind("SortMergeJoin", skewed)
}

/** Spark's join with keys in the engine, under the name of Spark's. */
case class BroadheadEquiJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    buildSide: BuildSide,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan,
    kind: EquiJoinKind)
    extends BroadheadHashJoin {
  import EquiJoinKind._

  protected override def nullAware: Boolean = kind == Broadcast(isNullAware = true)

  override def nodeName: String =
    s"Broadhead${kind.name}${if (kind.isSkewed) "(skew=true)" else ""}"

  protected override def stringArgs: Iterator[Any] =
    Iterator[Any](leftKeys, rightKeys, joinType, buildSide, condition) ++
      Optional.when(nullAware)("null-aware")

  /** What makes the relation of Spark's broadcast join from the rows of the build side. */
  def relationMode: BroadcastMode =
    requiredChildDistribution(if (buildSide == BuildLeft) 0 else 1) match {
      case BroadcastDistribution(mode) => mode
      case other => throw new IllegalStateException(s"$other is not that of a broadcast")
    }

  @transient override lazy val original: SparkPlan = {
    val sides = Seq(left -> leftKeys, right -> rightKeys).map { case (side, keys) =>
      inOrder(FragmentEncoder.originalOf(side), keys)
    }
    joinOf(sides.head, sides.last)
  }

  private def inOrder(side: SparkPlan, keys: Seq[Expression]): SparkPlan = kind match {
    case SortMerge(_) => SortExec(keys.map(SortOrder(_, Ascending)), global = false, side)
    case _ => side
  }

  protected override def joinOf(left: SparkPlan, right: SparkPlan): SparkPlan = kind match {
    case Broadcast(isNullAware) =>
      VersionedSpark.make[BroadcastHashJoinExec](BroadcastHashJoinExec, leftKeys, rightKeys,
        joinType, buildSide, condition, left, right, isNullAware)
    case ShuffledHash(skewed) =>
      ShuffledHashJoinExec(leftKeys, rightKeys, joinType, buildSide, condition, left, right,
        skewed)
    case SortMerge(skewed) =>
      SortMergeJoinExec(leftKeys, rightKeys, joinType, condition, left, right, skewed)
  }

  protected override def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): BroadheadEquiJoin = copy(left = newLeft, right = newRight)
}

/** A join whose sides were shuffled by the keys. */
private[broadhead] object ShuffledJoin {
  def unapply(plan: SparkPlan): Option[BroadheadEquiJoin] = plan match {
    case join: BroadheadEquiJoin if !join.kind.isInstanceOf[EquiJoinKind.Broadcast] => Some(join)
    case _ => None
  }
}

private[broadhead] abstract class EquiJoinCase[P <: BaseJoinExec](
    override val name: String,
    buildSide: P => BuildSide,
    kind: P => EquiJoinKind)
    extends JoinCase[P] {

  override def convert(join: P, children: Seq[SparkPlan]): SparkPlan = BroadheadEquiJoin(
    join.leftKeys,
    join.rightKeys,
    join.joinType,
    buildSide(join),
    join.condition,
    children.head,
    children.last,
    kind(join))
}

private[broadhead] object BroadcastHashJoinCase
    extends EquiJoinCase[BroadcastHashJoinExec](
      "BroadcastHashJoin",
      _.buildSide,
      join => EquiJoinKind.Broadcast(join.isNullAwareAntiJoin))

private[broadhead] object ShuffledHashJoinCase
    extends EquiJoinCase[ShuffledHashJoinExec](
      "ShuffledHashJoin",
      _.buildSide,
      join => EquiJoinKind.ShuffledHash(join.isSkewJoin))

private[broadhead] object SortMergeJoinCase
    extends EquiJoinCase[SortMergeJoinExec](
      "SortMergeJoin",
      join => JoinSupport.smallerSide(join.left, join.right),
      join => EquiJoinKind.SortMerge(join.isSkewJoin)) {
  override def dropsRequiredOrder: Boolean = true
}
