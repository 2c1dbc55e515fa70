package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.plans._

/**
 * Which side of a join may be broadcast.
 *
 * As in Spark's `JoinSelectionHelper`, which has other methods in each of its versions: an object
 * that extends it calls them all.
 */
private[broadhead] object BroadcastSides {

  def left(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | RightOuter => true
    case _ => false
  }

  def right(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | _: ExistenceJoin => true
    case _ => false
  }
}
