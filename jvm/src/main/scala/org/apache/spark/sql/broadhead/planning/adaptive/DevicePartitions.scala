package org.apache.spark.sql.broadhead.planning.adaptive

import io.broadhead.Settings

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.TypeNames
import org.apache.spark.sql.broadhead.fragment.{CallsFunctions, FragmentNode, FragmentSource}
import org.apache.spark.sql.broadhead.gpu.DeviceProcess
import org.apache.spark.sql.broadhead.planning.Guarded
import org.apache.spark.sql.broadhead.shuffle.ShuffleBlocks
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, AQEShuffleReadRule, CoalesceShufflePartitions, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleOrigin}
import org.apache.spark.sql.internal.SQLConf

/**
 * Reads the shuffled rows that a GPU keeps in few large tasks, by Spark's own rule.
 *
 * Spark makes a task for each core. All of them would use one GPU, where each task makes all calls
 * of its fragment, and a call takes about as long for many rows as for few.
 */
case class DevicePartitions(session: SparkSession) extends AQEShuffleReadRule {
  import DevicePartitions._

  override val supportedShuffleOrigins: Seq[ShuffleOrigin] = Seq(ENSURE_REQUIREMENTS)

  override def apply(plan: SparkPlan): SparkPlan = Guarded(ruleName, plan) {
    if (isWanted && onDevice(plan) && stages(plan).forall(isKept)) {
      val coalescing = coalescingWith(ofDevice)
      val open = plan.transformUp { case AQEShuffleReadExec(stage, _) => stage }
      UnionPartitions(coalescing)(coalescing(open))
    } else {
      plan
    }
  }

  private def isWanted: Boolean =
    conf.coalesceShufflePartitionsEnabled && !Chosen.exists(conf.contains) &&
      BroadheadState.mayUseGpu(new Settings(conf)) &&
      DeviceProcess.isWanted(session.sparkContext.getConf)

  private def coalescingWith(changed: SQLConf): CoalesceShufflePartitions =
    new CoalesceShufflePartitions(session) {
      override def conf: SQLConf = changed
    }

  private def ofDevice: SQLConf = {
    val changed = conf.clone()
    changed.setConf(SQLConf.COALESCE_PARTITIONS_PARALLELISM_FIRST, false)
    changed.setConf(SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES, TaskBytes)
    changed
  }

  private def stages(plan: SparkPlan): Seq[SparkPlan] =
    plan.collect {
      case read: AQEShuffleReadExec => read
      case stage: ShuffleQueryStageExec => stage
    }

  /** Whether the GPU has computed the rows, and no other rule has chosen their partitions. */
  private def isKept(plan: SparkPlan): Boolean = plan match {
    case AQEShuffleReadExec(_, specs) => specs.forall(_.isInstanceOf[CoalescedPartitionSpec])
    case stage: ShuffleQueryStageExec =>
      stage.shuffle.shuffleOrigin == ENSURE_REQUIREMENTS &&
      ShuffleBlocks.find(stage).exists(blocks => onDevice(blocks.exchange.child))
    case _ => false
  }

  /** Whether the process on the GPU runs the plan, a whole fragment. */
  private def onDevice(plan: SparkPlan): Boolean = plan match {
    case _: CallsFunctions => false
    case node: FragmentNode =>
      !node.output.exists(column => TypeNames.isNested(column.dataType)) &&
      (node.isInstanceOf[FragmentSource] || node.engineChildren.forall(onDevice))
    case _ => false
  }
}

object DevicePartitions {

  /** Rows for a task, as they are in memory. */
  private val TaskBytes = 1L << 30

  /** The user's own choices. */
  private val Chosen = Seq(
    SQLConf.COALESCE_PARTITIONS_PARALLELISM_FIRST.key,
    SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES.key,
    SQLConf.COALESCE_PARTITIONS_MIN_PARTITION_NUM.key)
}
