package org.apache.spark.sql.broadhead.planning.adaptive

import org.apache.spark.sql.broadhead.operators.{BroadheadFilter, BroadheadHashAggregate, BroadheadOperator, BroadheadProject}
import org.apache.spark.sql.broadhead.scan.BroadheadFileSourceScan
import org.apache.spark.sql.broadhead.scan.batch.{BatchScanFiles, BroadheadBatchScan}
import org.apache.spark.sql.broadhead.shuffle.BroadheadShuffleExchange
import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}

/** Estimates from a plan's operators about its number of rows. */
private[broadhead] object ReducingPlans extends PredicateHelper {

  /** Whether a plan may return far less than it reads. */
  def mayReduce(plan: SparkPlan): Boolean = plan.exists {
    case operator: BroadheadOperator => operator.mayReduce
    case stage: QueryStageExec => mayReduce(stage.plan)
    case _ => false
  }

  /** Whether a plan filters groups, such as HAVING: few remain of any number of rows. */
  def keepsFewGroups(plan: SparkPlan): Boolean = plan match {
    case BroadheadFilter(condition, _: BroadheadHashAggregate) => isSelective(condition)
    case _: BroadheadShuffleExchange | _: BroadheadProject => keepsFewGroups(plan.children.head)
    case _ => false
  }

  /** Spark adds conditions that keys are not null to every join. */
  def isSelective(condition: Expression): Boolean =
    splitConjunctivePredicates(condition).exists(!_.isInstanceOf[IsNotNull])
}

/** The size of the data that a plan reads, as far as it is known before execution. */
private[broadhead] object ScannedBytes {

  /** Bytes of the scanned columns in their files, and of earlier stages. */
  def of(plan: SparkPlan): Long = plan
    .collectLeaves()
    .map {
      case scan: FileSourceScanExec => ofScan(scan)
      case scan: BatchScanExec => ofScan(scan)
      case scan: BroadheadFileSourceScan => ofScan(scan.planned)
      case BroadheadBatchScan(scan, _) => ofScan(scan)
      case stage: QueryStageExec => stage.computeStats().fold(0L)(_.sizeInBytes.toLong)
      case _ => 0L
    }
    .sum

  /** The same for files of a data source that the engine reads. */
  def ofScan(scan: BatchScanExec): Long = BatchScanFiles.of(scan).fold(_ => 0L, _.bytes)

  /** Bytes of the columns that are read, with one estimated width for each type. */
  def ofScan(scan: FileSourceScanExec): Long = {
    val all = math.max(1, scan.relation.dataSchema.defaultSize)
    val share = scan.requiredSchema.defaultSize.toDouble / all
    (scan.relation.sizeInBytes * math.min(1.0, share)).toLong
  }
}
