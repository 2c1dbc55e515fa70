package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.planning.HandMadePlans
import org.apache.spark.sql.broadhead.shuffle.BroadheadShuffleRead
import org.apache.spark.sql.execution.{SparkPlan, UnionExec}
import org.apache.spark.sql.execution.adaptive.{EndedStage, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, REPARTITION_BY_COL, REPARTITION_BY_NUM, ShuffleOrigin}
import org.apache.spark.sql.execution.metric.SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN
import org.apache.spark.sql.execution.joins.CartesianProductExec

class SmallStagesSuite extends HandMadePlans {

  /** A shuffle that has written so much. */
  private def ended(
      bytes: Long,
      rows: Long,
      origin: ShuffleOrigin = ENSURE_REQUIREMENTS): ShuffleQueryStageExec = {
    val exchange = ourShuffle(localRows, origin = origin)
    exchange.metrics("dataSize").set(bytes)
    exchange.metrics(SHUFFLE_RECORDS_WRITTEN).set(rows)
    EndedStage.of(exchange)
  }

  private def isSmall(plan: SparkPlan, isOurs: SparkPlan => Boolean = _ => true): Boolean =
    new SmallStages(_.children, isOurs).isSmall(plan)

  private val MostBytes = 4L << 20
  private val MostRows = 100000L

  test("small by bytes and by rows") {
    assert(isSmall(sorted(ended(MostBytes, MostRows))))
    assert(!isSmall(sorted(ended(MostBytes + 1, 1))))
    assert(!isSmall(sorted(ended(1, MostRows + 1))))
  }

  test("what several stages have is added up") {
    def both(rows: Long) = {
      val side = ended(1, rows)
      CartesianProductExec(side, ended(1, MostRows / 2), None)
    }
    assert(isSmall(both(MostRows / 2)))
    assert(!isSmall(both(MostRows / 2 + 1)))
  }

  test("a stage that has not ended, and one of Spark, have no known size") {
    assert(!isSmall(sorted(EndedStage.planned(ourShuffle(localRows)))))
    assert(!isSmall(sorted(EndedStage.of(shuffled(localRows)))))
  }

  test("our read of a stage is the stage") {
    assert(isSmall(sorted(BroadheadShuffleRead(ended(1, 1), whole = false))))
  }

  test("a number of partitions that the user asks for is kept") {
    assert(!isSmall(sorted(ended(1, 1, REPARTITION_BY_NUM))))
    assert(isSmall(sorted(ended(1, 1, REPARTITION_BY_COL))))
    assert(!isSmall(shuffled(ended(1, 1), origin = REPARTITION_BY_COL)))
  }

  test("further shuffles between are left out") {
    assert(isSmall(finalSum(shuffled(partialSum(ended(1, 1))))))
  }

  test("what is Spark's own is not looked through") {
    val sort = sorted(ended(1, 1))
    assert(!isSmall(filter(sort), isOurs = _ ne sort))
  }

  test("a union has a task for each input") {
    assert(!isSmall(UnionExec(Seq(ended(1, 1), ended(1, 1)))))
  }

  test("tables are no stages") {
    assert(!isSmall(sorted(scan(1))))
    assert(!isSmall(localRows))
  }

  test("nothing is small where partitions are not put together") {
    set("spark.sql.adaptive.coalescePartitions.enabled" -> "false")
    assert(!isSmall(sorted(ended(1, 1))))
  }
}
