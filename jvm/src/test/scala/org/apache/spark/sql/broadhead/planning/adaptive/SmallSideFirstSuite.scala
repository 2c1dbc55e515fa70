package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.operators.{BroadheadEquiJoin, BroadheadFilter, EquiJoinKind}
import org.apache.spark.sql.broadhead.planning.HandMadePlans
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleExchange, BroadheadShuffleRead}
import org.apache.spark.sql.catalyst.expressions.IsNotNull
import org.apache.spark.sql.catalyst.optimizer.BuildRight
import org.apache.spark.sql.catalyst.plans.{FullOuter, Inner, JoinType, LeftOuter}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.EndedStage
import org.apache.spark.sql.execution.exchange.REPARTITION_BY_COL

class SmallSideFirstSuite extends HandMadePlans {
  private val Mebi = 1L << 20

  private def large: BroadheadShuffleExchange = ourShuffle(scan(1024 * Mebi))

  private def chosen(bytes: Long): BroadheadShuffleExchange = {
    val rows = scan(bytes)
    ourShuffle(BroadheadFilter(filter(rows).condition, rows))
  }

  private def join(left: SparkPlan, right: SparkPlan, joinType: JoinType = Inner): SparkPlan =
    BroadheadEquiJoin(
      Seq(key),
      Seq(key),
      joinType,
      BuildRight,
      None,
      BroadheadShuffleRead(left, whole = false),
      BroadheadShuffleRead(right, whole = false),
      EquiJoinKind.ShuffledHash(skewed = false))

  /** Which side waits for the other; none where both run at the same time. */
  private def waiting(plan: SparkPlan): Option[String] = {
    val sides = SmallSideFirst(plan).children.map(_.exists(_.isInstanceOf[BroadheadAwait]))
    assert(sides.count(identity) <= 1)
    Seq("left", "right").zip(sides).collectFirst { case (side, true) => side }
  }

  override def beforeEach(context: BeforeEach): Unit = {
    super.beforeEach(context)
    set("spark.sql.adaptive.autoBroadcastJoinThreshold" -> "4m")
  }

  test("the large side waits for one that is filtered") {
    assertEquals(waiting(join(large, chosen(32 * Mebi))), Some("left"))
    assertEquals(waiting(join(chosen(32 * Mebi), large)), Some("right"))
  }

  test("of two sides that may become small the smaller runs first") {
    assertEquals(waiting(join(chosen(32 * Mebi), chosen(16 * Mebi))), Some("left"))
    assertEquals(waiting(join(chosen(16 * Mebi), chosen(32 * Mebi))), Some("right"))
  }

  test("the stage that is waited for is the same in both places") {
    val small = chosen(32 * Mebi)
    val planned = SmallSideFirst(join(large, small))
    val awaited = planned.collectFirst { case BroadheadAwait(_, stage) => stage }.get
    assert(awaited.sameResult(planned.children.last.children.head))
  }

  test("a side that nothing reduces is not waited for") {
    assertEquals(waiting(join(large, ourShuffle(scan(32 * Mebi)))), None)
    val rows = scan(32 * Mebi)
    val keys = ourShuffle(BroadheadFilter(IsNotNull(key), rows))
    assertEquals(waiting(join(large, keys)), None)
  }

  test("a side of more than eight times the broadcast limit is not waited for") {
    assertEquals(waiting(join(large, chosen(32 * Mebi + 8))), None)
    set("spark.sql.adaptive.autoBroadcastJoinThreshold" -> "8m")
    assertEquals(waiting(join(large, chosen(32 * Mebi + 8))), Some("left"))
  }

  test("a large side that is read sooner than a stage starts does not wait") {
    val little = ourShuffle(scan(16 * Mebi - 8))
    assertEquals(waiting(join(little, chosen(1 * Mebi))), None)
    assertEquals(waiting(join(ourShuffle(scan(16 * Mebi)), chosen(1 * Mebi))), Some("left"))
  }

  test("a side that cannot be broadcast in the join is not waited for") {
    assertEquals(waiting(join(large, chosen(32 * Mebi), LeftOuter)), Some("left"))
    assertEquals(waiting(join(chosen(32 * Mebi), large, LeftOuter)), None)
    assertEquals(waiting(join(large, chosen(32 * Mebi), FullOuter)), None)
  }

  test("a stage that has ended needs no one to wait, one that runs does") {
    val small = chosen(1 * Mebi)
    assertEquals(waiting(join(large, EndedStage.of(small))), None)
    assertEquals(waiting(join(large, EndedStage.planned(small))), Some("left"))
  }

  test("a shuffle of the user's own is not waited for") {
    val own = chosen(32 * Mebi).copy(shuffleOrigin = REPARTITION_BY_COL)
    assertEquals(waiting(join(large, own)), None)
  }

  test("a whole read has no partitions to join by") {
    val plan = join(large, chosen(32 * Mebi)).transform { case read: BroadheadShuffleRead =>
      read.copy(whole = true)
    }
    assertEquals(waiting(plan), None)
  }

  test("nothing waits without reuse of exchanges or without broadcasts") {
    set("spark.sql.exchange.reuse" -> "false")
    assertEquals(waiting(join(large, chosen(32 * Mebi))), None)
    set("spark.sql.exchange.reuse" -> "true")
    set("spark.sql.adaptive.autoBroadcastJoinThreshold" -> "-1")
    assertEquals(waiting(join(large, chosen(32 * Mebi))), None)
  }
}
