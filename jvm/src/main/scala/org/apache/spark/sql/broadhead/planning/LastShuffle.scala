package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.fragment.BroadheadRowSource
import org.apache.spark.sql.broadhead.operators.BroadheadProject
import org.apache.spark.sql.broadhead.shuffle.ShuffleBlocks
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/**
 * The shuffle that is the last operator of a plan.
 *
 * A write that asks for a distribution of its rows has such a plan. The rows of a shuffle are read
 * by a fragment, so an operator that changes nothing is put above it, and the files of the write
 * are encoded there.
 */
private[broadhead] object LastShuffle {
  private val Reader = TreeNodeTag[Unit]("broadhead.lastShuffle")

  /** The plan with an operator that reads its last shuffle. */
  def read(plan: SparkPlan): SparkPlan = plan match {
    case command: V2TableWriteExec => command.withNewChildren(command.children.map(read))
    case _: ShuffleExchangeExec if isHashed(plan) => readerOf(plan)
    case _: ShuffleQueryStageExec if ShuffleBlocks.find(plan).isDefined => readerOf(plan)
    case other => other
  }

  /** Others give rows in an order that is not Spark's, which queries without an order show. */
  private def isHashed(plan: SparkPlan): Boolean =
    plan.outputPartitioning.isInstanceOf[HashPartitioning]

  /** The plan without that operator, if the shuffle is not the engine's. */
  def keptIfOurs(plan: SparkPlan): SparkPlan = plan match {
    case command: V2TableWriteExec => command.withNewChildren(command.children.map(keptIfOurs))
    case ProjectExec(_, shuffle) if isReader(plan) => shuffle
    case BroadheadProject(_, BroadheadRowSource(shuffle)) if isReader(plan) => shuffle
    case other => other
  }

  private def readerOf(shuffle: SparkPlan): SparkPlan = {
    val reader = ProjectExec(shuffle.output, shuffle)
    reader.setTagValue(Reader, ())
    shuffle.logicalLink.foreach(reader.setLogicalLink)
    reader
  }

  private def isReader(plan: SparkPlan): Boolean = plan.getTagValue(Reader).isDefined
}
