package org.apache.spark.sql.broadhead.execution

import io.broadhead.Settings

import org.apache.spark.Dependency
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.arrow.RowBatches
import org.apache.spark.sql.broadhead.broadcast.BroadheadBroadcastRead
import org.apache.spark.sql.broadhead.encoding.EncodedFragment
import org.apache.spark.sql.broadhead.gpu.GpuUse
import org.apache.spark.sql.broadhead.operators.{BroadheadRowSource, FragmentSource}
import org.apache.spark.sql.broadhead.pythonfunctions.PythonEnvironment
import org.apache.spark.sql.broadhead.replay.{DriverReplay, MembersDependency, Replay, ReplayPlan, RunningSource}
import org.apache.spark.sql.broadhead.scan.{FileAccess, RemoteFiles}
import org.apache.spark.sql.broadhead.shuffle.{BroadheadShuffleRead, RowShuffleWriter, ShuffleBlocks, ShuffleMapRDD, ShufflePartitionings}
import org.apache.spark.sql.broadhead.write.FragmentFilesRDD
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.execution.datasources.{FilePartition, WriteFilesSpec}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * A fragment ready to become an RDD.
 *
 * @param rows the RDD of each row source, by the source's number
 * @param replay Spark's own operators for the fragment; None if nothing was replaced
 */
private[broadhead] case class PreparedFragment(
    program: FragmentProgram,
    rows: Map[Int, RDD[_]],
    replay: Option[Replay],
    dependencies: Seq[Dependency[_]],
    partitions: Seq[FragmentPartition])

/** Converts an encoded fragment to the RDD that runs it. */
private[broadhead] object FragmentRunner extends Logging {

  /** The batches of the fragment: Spark's own if this jar does not fit this Spark. */
  def execute(fragment: EncodedFragment): RDD[ColumnarBatch] =
    try new FragmentRDD(context(fragment), prepare(fragment))
    catch {
      case defect: LinkageError =>
        logWarning(
          "Broadhead could not start a fragment, Spark's own operators run instead",
          defect)
        RowBatches.columnar(ReplayPlan.whole(fragment.original))
    }

  /** The same batches in the worker's format, undecoded. */
  def frames(fragment: EncodedFragment): RDD[Array[Byte]] =
    new FrameRDD(context(fragment), prepare(fragment))

  /**
   * The tasks of the map side of a shuffle.
   *
   * @param writer writes rows of Spark's operators in a replay
   */
  def shuffle(fragment: EncodedFragment, writer: RowShuffleWriter): ShuffleMapRDD =
    new ShuffleMapRDD(
      context(fragment),
      prepare(fragment),
      writer,
      ShufflePartitionings.isInTurn(fragment.root.outputPartitioning))

  /** The tasks that write the files of a table; None if there is no task, or no engine. */
  def tableFiles(
      fragment: EncodedFragment,
      spec: WriteFilesSpec,
      isLines: Boolean): Option[RDD[WriterCommitMessage]] = {
    val prepared = prepare(fragment)
    // Spark's own write has a task even for no partition, which writes a file without rows.
    Option.when(prepared.partitions.nonEmpty)(
      new FragmentFilesRDD(context(fragment), prepared, spec, isLines))
  }

  private def context(fragment: EncodedFragment) = fragment.root.session.sparkContext

  private def prepare(fragment: EncodedFragment): PreparedFragment = {
    val settings = new Settings(fragment.root.conf)
    // files are listed while a broadcast that has been started is collected
    val splits = fragment.scans.map { case (node, scan) => node -> scan.filePartitions }.toMap
    val sources = DriverSources.collect(fragment)
    val tasks = FragmentPartitions.of(fragment, splits, sources, settings)
    PreparedFragment(
      program(fragment, sources.layouts, fileAccess(fragment, splits)),
      sources.rows.map { case (number, source) => number -> source.rdd },
      replayOf(fragment, sources, tasks.replays),
      sources.dependencies(tasks.partitions),
      tasks.partitions)
  }

  private def replayOf(
      fragment: EncodedFragment,
      sources: DriverSources,
      tasks: Int): Option[Replay] = fragment.root match {
    case _: FragmentSource => None
    case _ =>
      val rows = sources.rows.values.toSeq
      val session = fragment.root.session
      Some(new Replay(new DriverReplay(ReplayPlan.of(fragment.original, rows), session, tasks)))
  }

  private def fileAccess(
      fragment: EncodedFragment,
      splits: Map[Int, Seq[FilePartition]]): Map[Int, FileAccess] =
    fragment.scans.collect {
      case (node, scan) if splits(node).exists(_.files.exists(RemoteFiles.isRemote)) =>
        node -> scan.fileAccess
    }.toMap

  private def program(
      fragment: EncodedFragment,
      sources: Seq[SourceLayout],
      fileAccess: Map[Int, FileAccess]): FragmentProgram = {
    val settings = new Settings(fragment.root.conf)
    FragmentProgram(
      fragment = fragment.json,
      workers = workers(fragment),
      output = DataTypeUtils.fromAttributes(fragment.output),
      scans = fragment.scans.map { case (node, scan) => node -> scan.splitFields }.toMap,
      fileAccess = fileAccess,
      lineParsings = fragment.scans.flatMap { case (node, scan) =>
        scan.lineParsing.map(node -> _)
      }.toMap,
      evaluations = fragment.evaluations,
      sources = sources,
      samples = fragment.samples,
      collated = fragment.collated,
      metrics = fragment.metrics,
      fallbackTimes = fragment.fallbackTimes,
      rowsInOrder = ReplayPlan.keepsOrder(fragment.original),
      dependsOnOrder = ReplayPlan.dependsOnOrder(fragment.original),
      strict = settings.strict,
      gpu = GpuUse.of(fragment, settings))
  }

  private def workers(fragment: EncodedFragment): PythonWorkers = {
    val python = BroadheadState.python.getOrElse(
      throw new IllegalStateException(
        "Broadhead does not know the Python of the executors: " +
          BroadheadState.reason.getOrElse("its check is not finished")))
    PythonWorkers(
      python.interpreter,
      python.pythonMinor,
      PythonWorkers.environment(context(fragment).getConf),
      PythonEnvironment.of(fragment.pythonFunctions, fragment.root.conf))
  }
}

/**
 * The data of a fragment's sources on the driver, by the source's number.
 *
 * @param nodes node id of each source
 */
private[broadhead] case class DriverSources(
    nodes: Map[Int, Int],
    layouts: Seq[SourceLayout],
    rows: Map[Int, RunningSource],
    shuffles: Map[Int, ShuffleBlocks]) {

  /** Number of partitions by node id, of the partitioned sources. */
  def partitionCounts: Map[Int, Int] =
    rows.map { case (number, source) => nodes(number) -> source.rdd.getNumPartitions } ++
      shuffles.map { case (number, blocks) => nodes(number) -> blocks.specs.length }

  def dependencies(tasks: Seq[FragmentPartition]): Seq[Dependency[_]] =
    rows.toSeq.map { case (number, source) =>
      new MembersDependency(source.rdd, tasks.map(_.rows.getOrElse(number, Nil).map(_.index)))
    } ++ shuffles.values.map(_.exchange.shuffleDependency)
}

private[broadhead] object DriverSources {

  /** The sources of a fragment, with their partitions. */
  def collect(fragment: EncodedFragment): DriverSources = {
    val sources = fragment.sources.map(_._2).zipWithIndex
    val rows = sources.collect { case (source: BroadheadRowSource, number) =>
      number -> RunningSource.of(source.source)
    }.toMap
    val shuffles = sources.collect { case (read: BroadheadShuffleRead, number) =>
      number -> read.blocks
    }.toMap
    val layouts = fragment.sources.zipWithIndex.map {
      case ((node, _: BroadheadShuffleRead), number) =>
        val exchange = shuffles(number).exchange
        ShuffleLayout(node, exchange.shuffleHandle, exchange.readMetrics)
      case ((_, read: BroadheadBroadcastRead), _) => BroadcastLayout(read.content)
      case ((_, source), _) =>
        RowSourceLayout(
          DataTypeUtils.fromAttributes(source.output),
          source.asInstanceOf[BroadheadRowSource].source.supportsColumnar)
    }
    DriverSources(
      fragment.sources.map(_._1).zipWithIndex.map(_.swap).toMap,
      layouts,
      rows,
      shuffles)
  }
}
