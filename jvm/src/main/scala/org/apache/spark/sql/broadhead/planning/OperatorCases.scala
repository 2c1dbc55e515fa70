package org.apache.spark.sql.broadhead.planning

import org.apache.spark.sql.broadhead.fragment.{BroadheadOperator, Candidate}
import org.apache.spark.sql.broadhead.operators._
import org.apache.spark.sql.broadhead.pythonfunctions._
import org.apache.spark.sql.broadhead.scan.ScanFormat
import org.apache.spark.sql.broadhead.shuffle.ShuffleExchangeCase
import org.apache.spark.sql.broadhead.versions.{CompiledSpark, VersionedSpark}
import org.apache.spark.sql.broadhead.write.WriteFilesCase
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.{HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec}
import org.apache.spark.sql.execution.datasources.WriteFilesExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.python._
import org.apache.spark.sql.execution.window.{WindowExec, WindowGroupLimitExec}

/** The operators of Spark that the engine supports. */
private[broadhead] object OperatorCases {
  private val hashAggregate = new AggregateCase[HashAggregateExec]("HashAggregate")
  private val sortAggregate =
    new AggregateCase[SortAggregateExec]("SortAggregate", dropsRequiredOrder = true)
  private val objectHashAggregate =
    new AggregateCase[ObjectHashAggregateExec]("ObjectHashAggregate")

  private val arrowEvalPython = new EvalPythonCase("ArrowEvalPython")
  private val batchEvalPython = new EvalPythonCase("BatchEvalPython")
  private val arrowEvalPythonUDTF = new EvalPythonUDTFCase("ArrowEvalPythonUDTF")
  private val batchEvalPythonUDTF = new EvalPythonUDTFCase("BatchEvalPythonUDTF")
  private val mapInPandas = new MapInPythonCase("MapInPandas")
  private val mapInArrow = new MapInPythonCase("MapInArrow")
  private val flatMapGroupsInPandas = new FlatMapGroupsCase("FlatMapGroupsInPandas")
  private val flatMapGroupsInArrow = new FlatMapGroupsCase("FlatMapGroupsInArrow")
  private val flatMapCoGroupsInPandas = new FlatMapCoGroupsCase("FlatMapCoGroupsInPandas")
  private val flatMapCoGroupsInArrow = new FlatMapCoGroupsCase("FlatMapCoGroupsInArrow")

  def find(plan: SparkPlan): Option[Candidate[_ <: SparkPlan]] = plan match {
    case scan: FileSourceScanExec if ScanFormat.of(scan).isDefined =>
      Some(Candidate(scan, FileSourceScanCase))
    case scan: BatchScanExec => Some(Candidate(scan, BatchScanCase))
    case filter: FilterExec => Some(Candidate(filter, FilterCase))
    case project: ProjectExec => Some(Candidate(project, ProjectCase))
    case aggregate: HashAggregateExec => Some(Candidate(aggregate, hashAggregate))
    case aggregate: SortAggregateExec => Some(Candidate(aggregate, sortAggregate))
    case sort: SortExec => Some(Candidate(sort, SortCase))
    case take: TakeOrderedAndProjectExec => Some(Candidate(take, TakeOrderedAndProjectCase))
    case limit: CollectLimitExec => Some(Candidate(limit, CollectLimitCase))
    case limit: LocalLimitExec => Some(Candidate(limit, LocalLimitCase))
    case limit: GlobalLimitExec => Some(Candidate(limit, GlobalLimitCase))
    case union: UnionExec => Some(Candidate(union, UnionCase))
    case exchange: ShuffleExchangeExec => Some(Candidate(exchange, ShuffleExchangeCase))
    case join: BroadcastHashJoinExec => Some(Candidate(join, BroadcastHashJoinCase))
    case join: ShuffledHashJoinExec => Some(Candidate(join, ShuffledHashJoinCase))
    case join: SortMergeJoinExec => Some(Candidate(join, SortMergeJoinCase))
    case join: BroadcastNestedLoopJoinExec => Some(Candidate(join, BroadcastNestedLoopJoinCase))
    case join: CartesianProductExec => Some(Candidate(join, CartesianProductCase))
    case exchange: BroadcastExchangeExec => Some(Candidate(exchange, BroadcastExchangeCase))
    case window: WindowExec => Some(Candidate(window, WindowCase))
    case limit: WindowGroupLimitExec => Some(Candidate(limit, WindowGroupLimitCase))
    case aggregate: ObjectHashAggregateExec => Some(Candidate(aggregate, objectHashAggregate))
    case expand: ExpandExec => Some(Candidate(expand, ExpandCase))
    case generate: GenerateExec => Some(Candidate(generate, GenerateCase))
    case sample: SampleExec => Some(Candidate(sample, SampleCase))
    case range: RangeExec => Some(Candidate(range, RangeCase))
    case table: LocalTableScanExec => Some(Candidate(table, LocalTableScanCase))
    case coalesce: CoalesceExec if CoalesceCase.runsAsOne(coalesce.child) =>
      Some(Candidate(coalesce, CoalesceCase))
    case coalesce: CoalesceExec => Some(Candidate(coalesce, CoalesceBatchesCase))
    case write: WriteFilesExec if !write.isInstanceOf[BroadheadOperator] =>
      Some(Candidate(write, WriteFilesCase))
    case eval: ArrowEvalPythonExec => Some(Candidate(eval, arrowEvalPython))
    case eval: BatchEvalPythonExec => Some(Candidate(eval, batchEvalPython))
    case eval: ArrowEvalPythonUDTFExec => Some(Candidate(eval, arrowEvalPythonUDTF))
    case eval: BatchEvalPythonUDTFExec => Some(Candidate(eval, batchEvalPythonUDTF))
    case map: MapInBatchExec =>
      Some(Candidate(map, if (CompiledSpark.isArrow(map)) mapInArrow else mapInPandas))
    case map: CompiledSpark.FlatMapGroups =>
      val inArrow = CompiledSpark.isArrowOfGroups(map)
      Some(Candidate(map, if (inArrow) flatMapGroupsInArrow else flatMapGroupsInPandas))
    case map: CompiledSpark.FlatMapCoGroups =>
      val inArrow = CompiledSpark.isArrowOfPairs(map)
      Some(Candidate(map, if (inArrow) flatMapCoGroupsInArrow else flatMapCoGroupsInPandas))
    case aggregate if VersionedSpark.isAggregateInPython(aggregate) =>
      Some(Candidate(aggregate, new AggregatePythonCase(VersionedSpark.operatorName(aggregate))))
    case window if VersionedSpark.isWindowInPython(window) =>
      Some(Candidate(window, new WindowPythonCase(VersionedSpark.operatorName(window))))
    case scan: RDDScanExec if PickledRows.of(scan).isDefined =>
      Some(Candidate(scan, PythonRowsCase))
    case row if OneRowRelationCase.is(row) => Some(Candidate(row, OneRowRelationCase))
    case _ => None
  }
}
