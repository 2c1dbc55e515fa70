package org.apache.spark.sql.broadhead

import org.apache.spark.Partition
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

/**
 * What every task of a fragment runs.
 *
 * @param command the worker's function, pickled
 * @param scans type of the partition values by the node id of each scan
 * @param sources layout of each row source
 * @param rowsInOrder whether Spark gives the same rows in the same order as the engine, each time
 * @param strict whether a broken engine is an error instead of a replay
 */
private[broadhead] case class FragmentProgram(
    rootId: Int,
    command: Array[Byte],
    workers: PythonWorkers,
    output: StructType,
    scans: Map[Int, StructType],
    sources: Seq[RowSourceLayout],
    metrics: Map[String, SQLMetric],
    rowsInOrder: Boolean,
    strict: Boolean) {

  def addToMetric(name: String, value: Long): Unit =
    metrics.get(s"$rootId.$name").foreach(_.add(value))
}

/** Type of the rows of a row source, and whether they come in columnar batches. */
private[broadhead] case class RowSourceLayout(schema: StructType, columnar: Boolean)

/**
 * One task of a fragment.
 *
 * @param files the splits of each scan, by node id
 * @param sources the partition of each row source
 * @param replays the partitions of Spark's own operators that give the same rows, in order
 */
private[broadhead] case class FragmentPartition(
    index: Int,
    files: Map[Int, Seq[PartitionedFile]],
    sources: Seq[Partition],
    replays: Seq[Partition])
    extends Partition

/** Joins neighbouring splits of a scan, so that a GPU gets few large tasks. */
private[broadhead] object SplitGroups {

  /** Positions of the splits of each task: runs of neighbours of about equal size. */
  def of(splits: Seq[FilePartition], tasks: Int, minBytes: Long): Seq[Seq[Int]] = {
    val sizes = splits.map(_.files.map(_.length).sum)
    val total = sizes.sum
    // No task may become so small that the engine would rather run it on the CPU.
    val wanted = Math.min(tasks.toLong, total / Math.max(minBytes, 1L))
    if (wanted < 1 || wanted >= splits.size) {
      splits.indices.map(Seq(_))
    } else {
      val starts = sizes.scanLeft(0L)(_ + _).init
      val groups = splits.indices.groupBy { position =>
        Math.min(wanted - 1, (starts(position) + sizes(position) / 2) * wanted / total)
      }
      groups.toSeq.sortBy(_._1).map(_._2)
    }
  }
}

/** The task header: the first frame that a worker gets. */
private[broadhead] object TaskHeader {

  def encode(
      program: FragmentProgram,
      partition: FragmentPartition,
      attempt: Int,
      files: TaskFiles): String = {
    val splits = partition.files.toSeq.map { case (node, split) =>
      node.toString -> Json.array(split.map(encodeFile(_, program.scans(node))))
    }
    Json.write(
      Json.obj(
        "partition" -> Json.number(partition.index.toLong),
        "attempt" -> Json.number(attempt.toLong),
        "stop" -> Json.text(files.stop.toString),
        "spillDirectories" -> Json.texts(files.spillDirectories.map(_.toString)),
        "splits" -> Json.obj(splits: _*)))
  }

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
        throw new IllegalStateException(s"a value of $column has no form in JSON")
      }
    }
}
