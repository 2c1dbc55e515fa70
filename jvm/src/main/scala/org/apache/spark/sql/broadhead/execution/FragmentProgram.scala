package org.apache.spark.sql.broadhead.execution

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.Partition
import org.apache.spark.sql.broadhead.broadcast.{BroadcastServer, KeptRange}
import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.evaluation.SparkEvaluation
import org.apache.spark.sql.broadhead.gpu.{GpuUse, KeptBlocks}
import org.apache.spark.sql.broadhead.results.ResultLimits
import org.apache.spark.sql.broadhead.scan.{FileAccess, RemoteFiles, SplitFields}
import org.apache.spark.sql.broadhead.scan.text.LineParsing
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/**
 * The part of a fragment that is the same for all tasks.
 *
 * @param fragment the fragment's JSON
 * @param scans what a worker has to know of each scan's splits besides their bytes, by node id
 * @param fileAccess access to the files of each scan that has remote ones, by node id
 * @param lineParsings Spark's parser of the lines of each scan that needs it, by node id
 * @param evaluations the expressions that Spark evaluates, by their numbers
 * @param sources layout of each source's data, by the source's number
 * @param samples the samples with replacement, by node id
 * @param collated whether it has strings that are not compared by their bytes
 * @param fallbackTimes the calls inside Python functions that fell back from the GPU, by node id
 * @param rowsInOrder whether Spark always returns the same rows in the same order as the engine
 * @param dependsOnOrder whether the rows depend on the order of the input
 * @param strict whether a defect is an error instead of a replay
 * @param gpu selection of the tasks that use a GPU
 * @param limits limits and layout of the batches, if they matter
 * @param heldBack whether no batch is returned before the last one is made, unless memory is full
 */
private[broadhead] case class FragmentProgram(
    fragment: String,
    workers: PythonWorkers,
    output: StructType,
    scans: Map[Int, SplitFields],
    fileAccess: Map[Int, FileAccess],
    lineParsings: Map[Int, LineParsing],
    evaluations: IndexedSeq[SparkEvaluation],
    sources: Seq[SourceLayout],
    samples: Map[Int, PoissonSample],
    collated: Boolean,
    metrics: Map[String, SQLMetric],
    fallbackTimes: Map[Int, FallbackTimes],
    rowsInOrder: Boolean,
    dependsOnOrder: Boolean,
    strict: Boolean,
    gpu: Option[GpuUse],
    limits: Option[ResultLimits] = None,
    heldBack: Boolean = false) {

  /** Whether its tasks call functions of the user, which they do in workers of their own. */
  def callsFunctions: Boolean = workers.functions.isDefined

  /** Adds to a metric of the whole fragment. */
  def addToMetric(name: String, value: Long): Unit = metrics.get(s"0.$name").foreach(_.add(value))
}

/**
 * One task of a fragment.
 *
 * @param files the splits of each scan, by node id
 * @param parts the partition number of each other partitioned leaf, by node id
 * @param rows the partitions of each row source, by the source's number
 * @param blocks the blocks of each shuffle that the task reads, by the source's number
 * @param branches the child that each union runs, by node id
 * @param replays the partitions of Spark's own operators that return the same rows, in order
 */
private[broadhead] case class FragmentPartition(
    index: Int,
    files: Map[Int, Seq[PartitionedFile]],
    parts: Map[Int, Seq[Int]],
    rows: Map[Int, Seq[Partition]],
    blocks: Map[Int, Seq[ShuffleRange]],
    branches: Map[Int, Int],
    replays: Seq[Int])
    extends Partition

/** Joins adjacent tasks of a scan, so that a GPU gets few large tasks. */
private[broadhead] object SplitGroups {

  /** Positions of the splits of each task: adjacent splits of about equal total size. */
  def of(sizes: Seq[Long], tasks: Int, minBytes: Long): Seq[Seq[Int]] = {
    val total = sizes.sum
    // No task may become so small that the engine would run it on the CPU.
    val wanted = Math.min(tasks.toLong, total / Math.max(minBytes, 1L))
    if (wanted < 1 || wanted >= sizes.size) {
      sizes.indices.map(Seq(_))
    } else {
      val starts = sizes.scanLeft(0L)(_ + _).init
      val groups = sizes.indices.groupBy { position =>
        Math.min(wanted - 1, (starts(position) + sizes(position) / 2) * wanted / total)
      }
      groups.toSeq.sortBy(_._1).map(_._2)
    }
  }
}

/** The task header: the first frame for a worker. */
private[broadhead] object TaskHeader {

  /**
   * The header's JSON.
   *
   * @param sockets sockets for the worker's requests to Spark's own code
   * @param shuffleFile the task's shuffle file
   * @param memory bytes that the task's worker may have; None in a process of many tasks
   * @param cpuOnly whether the GPU may have failed in this task already
   * @param gpuMinBytes smallest input for the GPU if `device` is `auto`; None if the task was not
   *   planned for a GPU
   * @param deviceFunctions whether the task calls Python functions on the GPU
   * @param gpuPermits directory of the files that limit the number of tasks on the GPU
   * @param keptAs the file that the process may keep the rows of instead of writing it
   * @param dropped the files whose rows the process shall forget
   */
  def encode(
      program: FragmentProgram,
      partition: FragmentPartition,
      sources: Seq[TaskSource],
      sockets: TaskSockets,
      attempt: Int,
      shuffleFile: Option[String],
      files: TaskFiles,
      memory: Option[Long],
      cpuOnly: Boolean,
      gpuMinBytes: Option[Long],
      deviceFunctions: Boolean,
      gpuPermits: Option[String],
      keptAs: Option[String],
      dropped: Seq[String]): String = {
    val splits = partition.files.toSeq.map { case (node, split) =>
      node.toString -> Json.array(split.map(encodeFile(_, program.scans(node))))
    }
    val shuffles = sources.zipWithIndex.collect { case (shuffle: ShuffleBlocksOfTask, number) =>
      number.toString -> Json.array(shuffle.segments.map(encodeSegment))
    }
    val broadcasts = sources.zipWithIndex.collect { case (rows: BroadcastOfTask, number) =>
      number.toString -> encodeBroadcast(rows)
    }
    Json.write(
      Json.obj(
        "partition" -> Json.number(partition.index.toLong),
        "attempt" -> Json.number(attempt.toLong),
        "running" -> files.running.map(file => Json.text(file.toString)).getOrElse(Json.Null),
        "cpuOnly" -> Json.bool(cpuOnly),
        "gpuMinBytes" -> gpuMinBytes.map(Json.number).getOrElse(Json.Null),
        "deviceFunctions" -> Json.bool(deviceFunctions),
        "gpuPermits" -> gpuPermits.map(Json.text).getOrElse(Json.Null),
        "memory" -> memory.map(Json.number).getOrElse(Json.Null),
        "spillDirectories" -> Json.texts(files.spillDirectories.map(_.toString)),
        "shuffleFile" -> shuffleFile.map(Json.text).getOrElse(Json.Null),
        "keptAs" -> keptAs.map(Json.text).getOrElse(Json.Null),
        "droppedBlocks" -> Json.texts(dropped),
        "resultLimits" -> program.limits.map(encodeLimits).getOrElse(Json.Null),
        "heldBack" -> Json.bool(program.heldBack),
        "splits" -> Json.obj(splits: _*),
        "parts" -> encodeNumbers(partition.parts.map { case (node, parts) =>
          node -> parts.head
        }),
        "files" -> sockets.files.map(Json.text).getOrElse(Json.Null),
        "lines" -> sockets.lines.map(Json.text).getOrElse(Json.Null),
        "expressions" -> sockets.expressions.map(Json.text).getOrElse(Json.Null),
        "collations" -> sockets.collations.map(Json.text).getOrElse(Json.Null),
        "counts" -> Json.obj(sockets.counts.toSeq.map { case (node, path) =>
          node.toString -> Json.text(path)
        }: _*),
        "branches" -> encodeNumbers(partition.branches),
        "shuffles" -> Json.obj(shuffles: _*),
        "broadcasts" -> Json.obj(broadcasts: _*),
        "liveBroadcasts" -> Json.texts(BroadcastServer.live)))
  }

  private def encodeNumbers(numbers: Map[Int, Int]) =
    Json.obj(numbers.toSeq.map { case (node, number) =>
      node.toString -> Json.number(number.toLong)
    }: _*)

  private def encodeLimits(limits: ResultLimits) = Json.obj(
    "rows" -> Json.number(limits.rows),
    "bytes" -> Json.number(limits.bytes),
    "largeStrings" -> Json.bool(limits.largeStrings))

  private def encodeBroadcast(rows: BroadcastOfTask) = Json.obj(
    "name" -> Json.text(rows.content.name),
    "bytes" -> Json.number(rows.content.bytes),
    "path" -> Json.text(BroadcastServer.path.toString),
    "kept" -> Json.array(keptRanges(rows).map(encodeRange)))

  private def keptRanges(rows: BroadcastOfTask) = {
    val ranges = rows.content.kept
    if (ranges.forall(range => KeptBlocks.contain(range.path))) ranges else Nil
  }

  private def encodeRange(range: KeptRange) = Json.obj(
    "block" -> Json.text(range.path),
    "start" -> Json.number(range.start.toLong),
    "end" -> Json.number(range.end.toLong))

  private def encodeSegment(segment: ShuffleSegment) = Json.obj(
    "path" -> Json.text(segment.path),
    "offset" -> Json.number(segment.offset),
    "length" -> Json.number(segment.length),
    "kept" -> segment.kept.fold[JsonNode](Json.Null) { case (start, end) =>
      Json.array(Seq(Json.number(start.toLong), Json.number(end.toLong)))
    })

  private def encodeFile(file: PartitionedFile, fields: SplitFields) = {
    val uri = file.toPath.toUri
    val remote = RemoteFiles.isRemote(file)
    val whole = Json.obj(
      "length" -> Json.number(file.fileSize),
      "modified" -> Json.number(file.modificationTime))
    val bytes = Seq(
      "path" -> Json.text(if (remote) uri.toString else uri.getPath),
      "remote" -> (if (remote) whole else Json.Null),
      "start" -> Json.number(file.start),
      "length" -> Json.number(file.length))
    Json.obj(bytes ++ fields.encode(file): _*)
  }
}
