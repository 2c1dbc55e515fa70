package org.apache.spark.sql.broadhead

import io.broadhead.Settings

import org.apache.spark.{JobArtifactSet, OneToOneDependency, SparkConf}
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.aggregate.Partial
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Turns an encoded fragment into the RDD that runs it. */
object FragmentRunner extends Logging {

  /** The batches of the fragment: Spark's own where this jar does not fit this Spark. */
  def execute(fragment: EncodedFragment): RDD[ColumnarBatch] =
    try engineBatches(fragment)
    catch {
      case defect: LinkageError =>
        logWarning("Broadhead could not start a fragment, Spark's own operators run", defect)
        RowToColumnarExec(ReplayPlan.of(fragment.original, Nil)).executeColumnar()
    }

  private def engineBatches(fragment: EncodedFragment): RDD[ColumnarBatch] = {
    val context = fragment.original.session.sparkContext
    val settings = new Settings(fragment.original.conf)
    val sources = fragment.rowSources.map(RunningSource.of)
    // Executing the original plans its scans too: dynamic pruning has its values after that.
    val replay = ReplayPlan.of(fragment.original, sources).execute()
    val splits = fragment.scans.map { case (node, scan) => node -> filePartitions(scan) }
    val partitions = makePartitions(
      replay,
      sources,
      splits.toMap,
      grouping(fragment, splits.map(_._2), settings))
    val dependencies = new ReplayDependency(replay, partitions.map(_.replays.map(_.index))) +:
      sources.map(source => new OneToOneDependency(source.rdd))
    new FragmentRDD(
      context,
      program(fragment, settings, context.getConf),
      sources.map(_.rdd),
      replay,
      dependencies,
      partitions.toArray)
  }

  private def program(
      fragment: EncodedFragment,
      settings: Settings,
      conf: SparkConf): FragmentProgram = FragmentProgram(
    rootId = fragment.rootId,
    command = PythonCommand.pickle(fragment.json),
    workers = workers(conf),
    output = DataTypeUtils.fromAttributes(fragment.output),
    scans = fragment.scans.map { case (node, scan) =>
      node -> scan.relation.partitionSchema
    }.toMap,
    sources = fragment.rowSources.map { source =>
      RowSourceLayout(DataTypeUtils.fromAttributes(source.output), source.supportsColumnar)
    },
    metrics = fragment.metrics,
    rowsInOrder = ReplayPlan.keepsOrder(fragment.original),
    strict = settings.strict)

  private def workers(conf: SparkConf): PythonWorkers = {
    val python = BroadheadState.python.getOrElse(
      throw new IllegalStateException(
        "Broadhead does not know the Python of the executors: " +
          BroadheadState.reason.getOrElse("its check has not ended")))
    PythonWorkers(
      python.interpreter,
      python.pythonMinor,
      PythonWorkers.environment(conf),
      JobArtifactSet.getCurrentJobArtifactState.map(_.uuid))
  }

  private def filePartitions(scan: FileSourceScanExec): Seq[FilePartition] =
    scan.inputRDDs().head match {
      case files: FileScanRDD => files.filePartitions
      case other =>
        throw new IllegalStateException(
          s"the scan ${scan.nodeName} gives ${other.getClass.getName}, which has no file splits")
    }

  /** Which of Spark's partitions each task takes; nothing where each stays a task. */
  private def grouping(
      fragment: EncodedFragment,
      scans: Seq[Seq[FilePartition]],
      settings: Settings): Option[Seq[Seq[Int]]] = {
    val streams = if (isDivisible(fragment.original)) settings.gpuStreams else 1
    val tasks = BroadheadState.gpus * math.max(1, settings.gpuTasks / streams)
    // A partitioning that Spark relies on (bucketed tables) must stay as it is.
    val free = fragment.original.outputPartitioning.isInstanceOf[UnknownPartitioning]
    (fragment.rowSources, scans) match {
      case (Nil, Seq(splits)) if settings.device != "cpu" && tasks > 0 && free =>
        val minBytes = if (settings.device == "gpu") 1L else settings.gpuMinBytes
        Some(SplitGroups.of(splits, tasks, minBytes))
      case _ => None
    }
  }

  /** Whether the worker shares a task's splits out to several streams. */
  private def isDivisible(original: SparkPlan): Boolean = original match {
    case aggregate: BaseAggregateExec =>
      val modes = aggregate.aggregateExpressions.map(_.mode)
      modes.nonEmpty && modes.forall(_ == Partial)
    case _ => false
  }

  private def makePartitions(
      replay: RDD[_],
      sources: Seq[RunningSource],
      splits: Map[Int, Seq[FilePartition]],
      groups: Option[Seq[Seq[Int]]]): Seq[FragmentPartition] = {
    val counts = splits.values.map(_.size) ++ sources.map(_.rdd.getNumPartitions)
    val replays = replay.partitions
    require(
      counts.forall(_ == replays.length),
      "the sources of a fragment have " +
        s"${counts.mkString(", ")} partitions, and Spark's operators ${replays.length}")
    groups.getOrElse(replays.indices.map(Seq(_))).zipWithIndex.map { case (members, index) =>
      FragmentPartition(
        index,
        splits.map { case (node, files) => node -> members.flatMap(files(_).files) },
        sources.flatMap(source => members.map(source.rdd.partitions(_))),
        members.map(replays(_)))
    }
  }
}
