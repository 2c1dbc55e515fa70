package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.encoding.{Capabilities, ExpressionSupport}
import org.apache.spark.sql.broadhead.shuffle.BroadheadShuffleExchange
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Literal, Rand}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete, HistogramNumeric}
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.ObjectHashAggregateExec
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_COL, ShuffleExchangeExec}

class FragmentPlannerSuite extends HandMadePlans {

  private def planned(plan: SparkPlan): PlannedFragments =
    new FragmentPlanner(plan, new ExpressionSupport(Capabilities.ofJar, settings), settings)
      .plan()

  /** Names of the operators from the root down, without what only hands rows on. */
  private def names(plan: SparkPlan): Seq[String] =
    planned(plan).plan.collect { case node => node.getClass.getSimpleName }

  private def reasons(plan: SparkPlan): Map[String, Seq[String]] = planned(plan).unsupported.toMap

  private def sums: SparkPlan = finalSum(shuffled(partialSum(filter(scan()))))

  /** An operator that is Spark's whatever the plan is. */
  private def ofSpark(child: SparkPlan): SparkPlan = {
    // A value that differs from call to call keeps the aggregate with Spark.
    val histogram = new HistogramNumeric(Rand(Literal(1L)), Literal(5))
    val call = AggregateExpression(histogram, Complete, isDistinct = false)
    ObjectHashAggregateExec(
      None,
      isStreaming = false,
      None,
      Nil,
      Seq(call),
      Seq(call.resultAttribute),
      0,
      Seq(Alias(call.resultAttribute, "histogram")()),
      child)
  }

  test("an aggregation with its shuffle becomes ours as a whole") {
    assertEquals(
      names(sums),
      Seq("BroadheadHashAggregate", "BroadheadShuffleRead", "BroadheadShuffleExchange",
        "BroadheadHashAggregate", "BroadheadFilter", "BroadheadFileSourceScan"))
  }

  test("an operator that is switched off takes its exchange and nothing more") {
    set("spark.broadhead.operator.HashAggregate.enabled" -> "false")
    val off = "switched off by spark.broadhead.operator.HashAggregate.enabled"
    val found = reasons(sums)
    assertEquals(found("HashAggregate"), Seq(off))
    assertEquals(found.keySet, Set("HashAggregate", "ShuffleExchange"))
  }

  test("both phases of an aggregation stay together") {
    val lower = partialSum(localRows)
    val foreign = finalSum(shuffled(sorted(lower)))
    set("spark.broadhead.costModel.enabled" -> "false")
    assert(names(foreign).contains("BroadheadHashAggregate"), names(foreign))
    set("spark.broadhead.operator.Sort.enabled" -> "false")
    val broken = names(foreign)
    assert(!broken.contains("BroadheadShuffleExchange"), broken)
  }

  test("a shuffle needs both of its ends") {
    set("spark.broadhead.costModel.enabled" -> "false")
    val above = ofSpark(shuffled(scan(), origin = REPARTITION_BY_COL))
    assertEquals(
      reasons(above).get("ShuffleExchange"),
      Some(Seq("the operator that reads this shuffle stays with Spark")))
    val below = sorted(shuffled(ofSpark(scan())))
    assertEquals(
      reasons(below).get("ShuffleExchange"),
      Some(Seq("the operator below this shuffle stays with Spark")))
  }

  test("a coalesce of Spark's rows stays with Spark") {
    set("spark.broadhead.costModel.enabled" -> "false")
    assertEquals(
      reasons(CoalesceExec(1, ofSpark(scan()))).get("Coalesce"),
      Some(Seq("the operator below it stays with Spark")))
    assert(names(CoalesceExec(1, scan())).contains("BroadheadCoalesce"))
  }

  test("costs decide fragment by fragment") {
    val light = ofSpark(filter(scan()))
    assert(!names(light).exists(_.startsWith("Broadhead")), names(light))
    set("spark.broadhead.costModel.enabled" -> "false")
    assert(names(light).contains("BroadheadFilter"), names(light))
  }

  test("a plan of Spark's rows alone is left as it is") {
    val plan = sorted(localRows)
    assert(planned(plan).plan.sameResult(plan))
    assert(!names(plan).exists(_.startsWith("Broadhead")), names(plan))
  }

  test("shuffles get a number of partitions that fits what is scanned") {
    val counts = planned(finalSum(shuffled(partialSum(scan(160L << 20))))).plan.collect {
      case exchange: BroadheadShuffleExchange =>
        exchange.outputPartitioning.numPartitions
    }
    assertEquals(counts, Seq(10))
  }

  test("one partition may be shuffled into") {
    val keys = Seq.empty[AttributeReference]
    val total = finalSum(ShuffleExchangeExec(SinglePartition, partialSum(scan(), keys)), keys)
    assert(names(total).contains("BroadheadShuffleExchange"), names(total))
  }
}
