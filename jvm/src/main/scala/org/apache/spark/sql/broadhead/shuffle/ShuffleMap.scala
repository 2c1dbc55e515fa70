package org.apache.spark.sql.broadhead.shuffle

import java.io.File

import org.apache.spark._
import org.apache.spark.rdd.DeterministicLevel
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.shuffle.sort.{BypassMergeSortShuffleHandle, SortShuffleManager}
import org.apache.spark.sql.broadhead.execution.{FragmentInputs, FragmentPartition, FragmentProgram, FragmentRecovery, ShuffleOutput, WorkerRun}
import org.apache.spark.sql.broadhead.fragment.{EngineRDD, PreparedFragment}
import org.apache.spark.sql.broadhead.gpu.KeptBlocks
import org.apache.spark.sql.broadhead.versions.{ShuffleCommit, VersionedSpark}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLShuffleWriteMetricsReporter}

/**
 * The map side of a shuffle: each partition is a task that writes its file once the path is
 * known.
 *
 * @param writer writes rows of Spark's operators in a replay
 * @param inTurn whether a row's partition depends on its position in the input
 */
private[broadhead] class ShuffleMapRDD(
    context: SparkContext,
    fragment: PreparedFragment,
    writer: RowShuffleWriter,
    inTurn: Boolean)
    extends EngineRDD[(Int, ShuffleMapFile)](context, fragment) {

  /** A repeated task may send rows to other partitions: Spark then repeats all of them. */
  override protected def getOutputDeterministicLevel: DeterministicLevel.Value =
    super.getOutputDeterministicLevel match {
      case DeterministicLevel.UNORDERED if inTurn => DeterministicLevel.INDETERMINATE
      case level => level
    }

  override def compute(split: Partition, task: TaskContext): Iterator[(Int, ShuffleMapFile)] = {
    val partition = split.asInstanceOf[FragmentPartition]
    val part = new FragmentMapFile(program, writer, partition, inputs(partition, task), task)
    Iterator.single(partition.index -> part)
  }
}

/** One task's shuffle file, not yet written. */
private[broadhead] trait ShuffleMapFile {

  /** @param keptAs the path of the file once it is committed, by which its rows can be kept */
  def write(file: File, keptAs: File): ShuffleOutput
}

/** The rows of a fragment: the engine's, or Spark's in a replay. */
private class FragmentMapFile(
    program: FragmentProgram,
    writer: RowShuffleWriter,
    partition: FragmentPartition,
    inputs: FragmentInputs,
    context: TaskContext)
    extends ShuffleMapFile {

  private val recovery = new FragmentRecovery(program, partition, context)

  override def write(file: File, keptAs: File): ShuffleOutput =
    recovery.whole(
      WorkerRun.shuffle(program, partition, inputs, context, file.getPath, keptAs.getPath))(
      outputOf)(writer.write(inputs.replay.get.apply(), partition.index, file))

  private def outputOf(worker: WorkerRun[ShuffleOutput]): ShuffleOutput = {
    val outputs = worker.outputs.toList
    require(
      outputs.length == 1,
      s"the worker sent ${outputs.length} results for one shuffle file")
    outputs.head
  }
}

/** Registers the files of map tasks with Spark's shuffle. */
private[broadhead] class ShuffleFileCommit(
    writeMetrics: Map[String, SQLMetric],
    dataSize: SQLMetric)
    extends ShuffleCommit {

  protected override def commit(
      inputs: Iterator[_],
      dependency: ShuffleDependency[_, _, _],
      mapId: Long,
      context: TaskContext): MapStatus = {
    val started = System.nanoTime()
    val manager = SparkEnv.get.shuffleManager.asInstanceOf[SortShuffleManager]
    announce(manager, dependency, mapId, context)
    val resolver = manager.shuffleBlockResolver
    val committed = resolver.getDataFile(dependency.shuffleId, mapId)
    val file = resolver.createTempFile(committed)
    val losses = KeptBlocks.lossCount
    try {
      val part = inputs.next().asInstanceOf[(Int, ShuffleMapFile)]._2
      val output = part.write(file, committed)
      resolver.writeMetadataFileAndCommit(
        dependency.shuffleId,
        mapId,
        output.lengths,
        Array.emptyLongArray,
        file)
      if (output.kept) {
        val index = resolver.getIndexFile(dependency.shuffleId, mapId)
        KeptBlocks.add(committed.getPath, index, losses, output.keptShort, context)
      }
      count(output, System.nanoTime() - started, context)
      VersionedSpark.make[MapStatus](
        MapStatus,
        SparkEnv.get.blockManager.shuffleServerId,
        output.lengths,
        mapId)
    } finally {
      file.delete()
      ()
    }
  }

  /** Registers the file with the manager, which deletes it with the shuffle; writes nothing. */
  private def announce(
      manager: SortShuffleManager,
      dependency: ShuffleDependency[_, _, _],
      mapId: Long,
      context: TaskContext): Unit = {
    val handle = new BypassMergeSortShuffleHandle(
      dependency.shuffleId,
      dependency.asInstanceOf[ShuffleDependency[Any, Any, Any]])
    manager.getWriter[Any, Any](handle, mapId, context, createMetricsReporter(context))
    ()
  }

  private def count(output: ShuffleOutput, nanos: Long, context: TaskContext): Unit = {
    val task = context.taskMetrics().shuffleWriteMetrics
    task.incBytesWritten(output.lengths.sum)
    task.incRecordsWritten(output.rows)
    task.incWriteTime(nanos)
    Seq(
      SQLShuffleWriteMetricsReporter.SHUFFLE_BYTES_WRITTEN -> output.lengths.sum,
      SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN -> output.rows,
      SQLShuffleWriteMetricsReporter.SHUFFLE_WRITE_TIME -> nanos).foreach { case (name, value) =>
      writeMetrics(name).add(value)
    }
    dataSize.add(output.dataSize)
  }
}
