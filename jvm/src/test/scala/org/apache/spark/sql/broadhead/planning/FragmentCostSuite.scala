package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.catalyst.optimizer.BuildRight
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftOuter}
import org.apache.spark.sql.catalyst.plans.physical.IdentityBroadcastMode
import org.apache.spark.sql.execution.{CollectLimitExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec

class FragmentCostSuite extends HandMadePlans {

  /** The reason for a fragment of all operators of a plan. */
  private def reason(
      plan: SparkPlan,
      ancestors: Seq[SparkPlan] = Nil,
      sources: Seq[SparkPlan] = Nil): Option[String] = {
    val operators = plan.collect { case operator if !sources.contains(operator) => operator }
    FragmentCost.reason(FragmentCandidate(operators, sources, ancestors))
  }

  private val withoutScan = Some(
    "estimated slower than Spark: its rows come from Spark, not from files")

  private def goesBackTo(name: String): Some[String] =
    Some(s"estimated slower than Spark: rows would return without being reduced to Spark's $name")

  test("a scan pays where its rows go to the user") {
    assertEquals(reason(filter(scan())), None)
    val limit = CollectLimitExec(5, filter(scan()))
    assertEquals(reason(limit.child, ancestors = Seq(limit)), None)
  }

  test("a light fragment does not pay below an operator of Spark") {
    val sort = sorted(ProjectExec(Seq(key), filter(scan())))
    assertEquals(reason(sort.child, ancestors = Seq(sort)), goesBackTo("Sort"))
  }

  test("limits between the fragment and Spark's operator change nothing") {
    val limit = CollectLimitExec(5, filter(scan()))
    assertEquals(reason(limit.child, ancestors = Seq(limit, sorted(limit))), goesBackTo("Sort"))
  }

  test("an aggregate over a scan pays anywhere") {
    val aggregate = partialSum(filter(scan()))
    assertEquals(reason(aggregate, ancestors = Seq(sorted(localRows))), None)
  }

  test("rows of Spark do not pay for the way") {
    assertEquals(reason(sorted(localRows)), withoutScan)
    assertEquals(reason(partialSum(localRows)), withoutScan)
  }

  test("numbers pay where there are many, and something is done with them") {
    def groups(end: Long) = {
      val range = numbers(end)
      partialSum(range, Seq(range.output.head.asInstanceOf[AttributeReference]))
    }
    assertEquals(reason(groups(1000000)), None)
    assertEquals(reason(groups(999999)), withoutScan)
    assertEquals(reason(partialSum(numbers(1000000), keys = Nil)), withoutScan)
    assertEquals(reason(filter(numbers(1000000))), withoutScan)
  }

  test("a later phase goes where the phase below it goes") {
    val lower = partialSum(localRows)
    val upper = finalSum(shuffled(lower))
    assertEquals(FragmentCost.reason(FragmentCandidate(Seq(upper), Nil, Nil)), None)
  }

  test("a shuffle that is ours is a source that pays") {
    val shuffle = ourShuffle(scan())
    assertEquals(reason(sorted(shuffle), sources = Seq(shuffle, shuffle.child)), None)
  }

  test("a broadcast goes where the join goes that reads it") {
    assertEquals(reason(BroadcastExchangeExec(IdentityBroadcastMode, localRows)), None)
  }

  test("pairs without a condition are light, and others are not") {
    def join(joinType: JoinType, condition: Option[Expression]) = {
      val right = BroadcastExchangeExec(IdentityBroadcastMode, localRows)
      val left = scan(columns = Seq(key.newInstance().asInstanceOf[AttributeReference]))
      BroadcastNestedLoopJoinExec(left, right, BuildRight, joinType, condition)
    }
    def below(plan: BroadcastNestedLoopJoinExec) =
      FragmentCost.reason(FragmentCandidate(Seq(plan, plan.left), Nil, Seq(sorted(localRows))))
    assertEquals(below(join(Inner, None)), goesBackTo("Sort"))
    assertEquals(below(join(Inner, Some(Literal(true)))), None)
    assertEquals(below(join(LeftOuter, None)), None)
  }
}
