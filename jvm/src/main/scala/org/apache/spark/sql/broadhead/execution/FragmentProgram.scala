package org.apache.spark.sql.broadhead.execution

import org.apache.spark.Partition
import org.apache.spark.shuffle.BaseShuffleHandle
import org.apache.spark.sql.broadhead.broadcast.{BroadcastContent, BroadcastServer}
import org.apache.spark.sql.broadhead.encoding.{Json, LiteralValues}
import org.apache.spark.sql.broadhead.gpu.GpuUse
import org.apache.spark.sql.broadhead.results.ResultPieces
import org.apache.spark.sql.broadhead.shuffle.ShuffleRange
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/**
 * What every task of a fragment runs.
 *
 * @param command the worker's function, pickled
 * @param scans type of the partition values by the node id of each scan
 * @param sources where each source's data come from, by the source's number
 * @param samples the samples with replacement, by node id
 * @param collated whether it has strings that do not compare by their bytes
 * @param rowsInOrder whether Spark gives the same rows in the same order as the engine, each time
 * @param dependsOnOrder whether other rows come where the input comes in another order
 * @param strict whether a broken engine is an error instead of a replay
 * @param gpu which of the tasks go to a GPU
 * @param pieces how the batches are to be cut and laid out, where it matters
 * @param heldBack whether no batch is to come before the last one is made, while there is room
 */
private[broadhead] case class FragmentProgram(
    command: Array[Byte],
    workers: PythonWorkers,
    output: StructType,
    scans: Map[Int, StructType],
    sources: Seq[SourceLayout],
    samples: Map[Int, PoissonSample],
    collated: Boolean,
    metrics: Map[String, SQLMetric],
    rowsInOrder: Boolean,
    dependsOnOrder: Boolean,
    strict: Boolean,
    gpu: Option[GpuUse],
    pieces: Option[ResultPieces] = None,
    heldBack: Boolean = false) {

  /** Adds to a metric of the whole fragment. */
  def addToMetric(name: String, value: Long): Unit = metrics.get(s"0.$name").foreach(_.add(value))
}

/** Where the data of a source come from. */
private[broadhead] sealed trait SourceLayout extends Serializable

/** Rows or columnar batches that the JVM sends. */
private[broadhead] case class RowSourceLayout(schema: StructType, columnar: Boolean)
    extends SourceLayout

/**
 * Blocks of a shuffle.
 *
 * @param metrics Spark's metrics of reading a shuffle, by name
 */
private[broadhead] case class ShuffleLayout(
    node: Int,
    handle: BaseShuffleHandle[_, _, _],
    metrics: Map[String, SQLMetric])
    extends SourceLayout

/** Rows that every task reads. */
private[broadhead] case class BroadcastLayout(content: BroadcastContent) extends SourceLayout

/**
 * One task of a fragment.
 *
 * @param files the splits of each scan, by node id
 * @param parts the number of the partition of each other leaf that has them, by node id
 * @param rows the partitions of each row source, by the source's number
 * @param blocks what the task reads of each shuffle, by the source's number
 * @param branches the child that each union runs, by node id
 * @param replays the partitions of Spark's own operators that give the same rows, in order
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

/** Joins neighbouring tasks of a scan, so that a GPU gets few large tasks. */
private[broadhead] object SplitGroups {

  /** Positions of the splits of each task: runs of neighbours of about equal size. */
  def of(sizes: Seq[Long], tasks: Int, minBytes: Long): Seq[Seq[Int]] = {
    val total = sizes.sum
    // No task may become so small that the engine would rather run it on the CPU.
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

/** The task header: the first frame that a worker gets. */
private[broadhead] object TaskHeader {

  /**
   * The header's JSON.
   *
   * @param sockets where the worker asks for what only Spark's own code can say
   * @param shuffleFile where the task's part of a shuffle goes
   * @param cpuOnly whether the GPU may have failed in this task already
   * @param gpuMinBytes input from which on the worker takes the GPU, where `device` is `auto`; none
   *                    where the task was not planned for one
   * @param gpuPermits directory of the files that bound how many tasks use the GPU at once
   */
  def encode(
      program: FragmentProgram,
      partition: FragmentPartition,
      sources: Seq[TaskSource],
      sockets: TaskSockets,
      attempt: Int,
      shuffleFile: Option[String],
      files: TaskFiles,
      cpuOnly: Boolean,
      gpuMinBytes: Option[Long],
      gpuPermits: Option[String]): String = {
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
        "gpuPermits" -> gpuPermits.map(Json.text).getOrElse(Json.Null),
        "spillDirectories" -> Json.texts(files.spillDirectories.map(_.toString)),
        "shuffleFile" -> shuffleFile.map(Json.text).getOrElse(Json.Null),
        "pieces" -> program.pieces.map(encodePieces).getOrElse(Json.Null),
        "heldBack" -> Json.bool(program.heldBack),
        "splits" -> Json.obj(splits: _*),
        "parts" -> encodeNumbers(partition.parts.map { case (node, parts) =>
          node -> parts.head
        }),
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

  private def encodePieces(pieces: ResultPieces) = Json.obj(
    "rows" -> Json.number(pieces.rows),
    "bytes" -> Json.number(pieces.bytes),
    "largeStrings" -> Json.bool(pieces.largeStrings))

  private def encodeBroadcast(rows: BroadcastOfTask) = Json.obj(
    "name" -> Json.text(rows.content.name),
    "bytes" -> Json.number(rows.content.bytes),
    "path" -> Json.text(BroadcastServer.path.toString))

  private def encodeSegment(segment: ShuffleSegment) = Json.obj(
    "path" -> Json.text(segment.path),
    "offset" -> Json.number(segment.offset),
    "length" -> Json.number(segment.length))

  private def encodeFile(file: PartitionedFile, partitionValues: StructType) = Json.obj(
    "path" -> Json.text(file.toPath.toUri.getPath),
    "start" -> Json.number(file.start),
    "length" -> Json.number(file.length),
    "partitionValues" -> Json.array(encodeValues(file.partitionValues, partitionValues)))

  private def encodeValues(row: InternalRow, schema: StructType) =
    schema.fields.toSeq.zipWithIndex.map { case (field, ordinal) =>
      val value = if (row.isNullAt(ordinal)) null else row.get(ordinal, field.dataType)
      LiteralValues.encode(value, field.dataType).getOrElse {
        val column = s"partition column ${field.name} (${field.dataType.sql})"
        throw new IllegalStateException(s"a value of $column cannot be encoded as JSON")
      }
    }
}
