package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.planning.HandMadePlans
import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, RangePartitioning, SinglePartition}
import org.apache.spark.sql.execution.{SparkPlan, UnionExec}
import org.apache.spark.sql.execution.adaptive.EndedStage
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, REPARTITION_BY_COL, ShuffleExchangeExec}

class ShuffleCountsSuite extends HandMadePlans {

  /** Partitions that the first shuffle of a plan gets. */
  private def count(root: SparkPlan, isOurs: SparkPlan => Boolean = _ => true): Int = {
    val exchange = root.collectFirst { case found: ShuffleExchangeExec => found }.get
    new ShuffleCounts(root, isOurs, settings).of(exchange).numPartitions
  }

  private val Mebi = 1L << 20

  test("the number follows the size of what is scanned") {
    assertEquals(count(shuffled(scan(160 * Mebi))), 10)
    assertEquals(count(shuffled(UnionExec(Seq(scan(160 * Mebi), scan(320 * Mebi))))), 30)
  }

  test("columns that are not read do not count") {
    assertEquals(count(shuffled(scan(160 * Mebi, columns = Seq(key)))), 5)
  }

  test("at least two for each core, and at most as many as Spark") {
    assertEquals(count(shuffled(scan(1))), 4)
    assertEquals(count(shuffled(scan(1L << 40))), 200)
  }

  test("rows that are not scanned say nothing") {
    assertEquals(count(shuffled(localRows)), 200)
  }

  test("a number of the user's stays, also if it is Spark's default") {
    set("spark.sql.shuffle.partitions" -> "200")
    assertEquals(count(shuffled(scan(160 * Mebi))), 200)
  }

  test("a first number of adaptive execution that the user has set stays") {
    set("spark.sql.adaptive.coalescePartitions.initialPartitionNum" -> "200")
    assertEquals(count(shuffled(scan(160 * Mebi))), 200)
  }

  test("a shuffle of the user's own stays") {
    assertEquals(count(shuffled(scan(160 * Mebi), origin = REPARTITION_BY_COL)), 200)
    assertEquals(count(shuffled(scan(160 * Mebi), partitions = 150)), 150)
  }

  test("all shuffles change or none, since the sides of a join must agree") {
    val ours = shuffled(scan(160 * Mebi))
    val sparks = shuffled(localRows)
    assertEquals(count(UnionExec(Seq(ours, sparks)), isOurs = _ eq ours), 200)
    val stage = EndedStage.of(ourShuffle(localRows))
    assertEquals(count(UnionExec(Seq(ours, stage))), 200)
  }

  test("a stage of another number stands in no one's way") {
    val stage = EndedStage.of(ourShuffle(localRows, partitions = 7))
    assertEquals(count(UnionExec(Seq(shuffled(scan(160 * Mebi)), stage))), 10)
  }

  test("ranges get the number too, and one partition stays one") {
    def by(partitioning: Partitioning) =
      count(ShuffleExchangeExec(partitioning, scan(160 * Mebi), ENSURE_REQUIREMENTS))
    assertEquals(by(RangePartitioning(Seq(SortOrder(key, Ascending)), 200)), 10)
    assertEquals(by(SinglePartition), 1)
  }
}
