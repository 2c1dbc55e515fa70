package org.apache.spark.sql.broadhead.fragment

import io.broadhead.Settings

import org.apache.spark.Dependency
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.application.{BroadheadState, WorkerEnvironment}
import org.apache.spark.sql.broadhead.arrow.RowBatches
import org.apache.spark.sql.broadhead.execution.{FragmentPartition, FragmentProgram, PythonEnvironment, PythonWorkers, SourceLayout}
import org.apache.spark.sql.broadhead.scan.{FileAccess, RemoteFiles}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.FilePartition
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

  private def context(fragment: EncodedFragment) = fragment.root.session.sparkContext

  /** What RDDs of the fragment are made of. */
  def prepare(fragment: EncodedFragment): PreparedFragment = {
    val settings = new Settings(fragment.root.conf)
    // files are listed while a broadcast that has been started is collected
    val splits = fragment.scans.map { case (node, scan) => node -> scan.filePartitions }.toMap
    val sources = DriverSources.collect(fragment)
    val tasks = FragmentPartitions.of(fragment, splits, sources, settings)
    PreparedFragment(
      program(fragment, sources.layouts, fileAccess(fragment, splits)),
      sources.rdds,
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
      val rows = sources.rows.values.toList
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
      rowsInOrder = fragment.root.keepsOrder,
      dependsOnOrder = fragment.nodes.exists(_.dependsOnOrder),
      strict = settings.strict,
      gpu = GpuPlanning.of(fragment, settings))
  }

  private def workers(fragment: EncodedFragment): PythonWorkers = {
    val python = BroadheadState.python.getOrElse(
      throw new IllegalStateException(
        "Broadhead does not know the Python of the executors: " +
          BroadheadState.reason.getOrElse("its check is not finished")))
    PythonWorkers(
      python.interpreter,
      python.pythonMinor,
      WorkerEnvironment.of(context(fragment).getConf),
      PythonEnvironment.of(fragment.pythonFunctions, fragment.root.conf))
  }
}
