package org.apache.spark.sql.broadhead.shuffle

import java.io.{BufferedOutputStream, File, FileOutputStream}

import org.apache.spark.rdd.{DeterministicLevel, RDD}
import org.apache.spark.sql.broadhead.arrow.RowBatches
import org.apache.spark.sql.broadhead.execution.ShuffleOutput
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, SpecificInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.{IntegerType, StructField, StructType}
import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.util.collection.unsafe.sort.{PrefixComparators, RecordComparator}

/**
 * Writes shuffle files of Spark's rows without a worker.
 *
 * Spark's own sorter sorts the rows by partition: it uses the memory of the task and spills like
 * Spark.
 *
 * @param schema the columns of the rows
 */
private[broadhead] case class RowShuffleWriter(
    schema: StructType,
    partitioning: RowPartitioning) {

  /** The map side of a shuffle of Spark's rows, written once the file is known. */
  def parts(rows: RDD[InternalRow], inTurn: Boolean): RDD[(Int, ShuffleMapFile)] =
    new RowShuffleRDD(rows, this, inTurn)

  /** Writes the rows of the running task. */
  def write(rows: Iterator[InternalRow], task: Int, file: File): ShuffleOutput = {
    val sorter = new PartitionSorter(schema)
    val partitionOf = partitioning.ofTask(task)
    rows.foreach(row => sorter.insert(row, partitionOf(row)))
    ShuffleOutput(writeFile(sorter.sorted(), file), sorter.rows, sorter.dataSize)
  }

  /** The bytes of each partition. */
  private def writeFile(sorted: PartitionRows, file: File): Array[Long] = {
    val batches = RowBatches.ofTask(sorted, schema, RowBatches.SocketRows, "shuffle write")
    val encoder = new BlockEncoder(schema)
    val output = new BufferedOutputStream(new FileOutputStream(file), 1 << 16)
    try
      Array.tabulate(partitioning.partitions) { partition =>
        sorted.goTo(partition)
        batches.map { root =>
          val block = encoder.encode(root)
          output.write(block)
          block.length.toLong
        }.sum
      }
    finally output.close()
  }
}

/** The tasks of a map side; the constructors of Spark's own RDD for it differ between versions. */
private class RowShuffleRDD(rows: RDD[InternalRow], writer: RowShuffleWriter, inTurn: Boolean)
    extends RDD[(Int, ShuffleMapFile)](rows) {

  override protected def getPartitions: Array[Partition] = rows.partitions

  override def compute(
      partition: Partition,
      context: TaskContext): Iterator[(Int, ShuffleMapFile)] = {
    val input = firstParent[InternalRow].iterator(partition, context)
    val part: ShuffleMapFile = (file, _) => writer.write(input, partition.index, file)
    Iterator.single(partition.index -> part)
  }

  /** Round-robin partitioning depends on the order of the rows. */
  override protected def getOutputDeterministicLevel: DeterministicLevel.Value =
    super.getOutputDeterministicLevel match {
      case DeterministicLevel.UNORDERED if inTurn => DeterministicLevel.INDETERMINATE
      case level => level
    }
}

/** Sorts rows by partition; rows of one partition keep their order. */
private class PartitionSorter(schema: StructType) {
  import PartitionSorter._

  private val sorter = UnsafeExternalRowSorter.createWithRecordComparator(
    schema.add(StructField("partition", IntegerType, nullable = false)),
    () => PrefixesDiffer,
    PrefixComparators.LONG,
    new PrefixOfRow,
    TaskContext.get().taskMemoryManager().pageSizeBytes,
    true)

  private val project = UnsafeProjection.create((schema.map(_.dataType) :+ IntegerType).toArray)
  private val joined = new JoinedRow
  private val partitionRow = new SpecificInternalRow(Seq(IntegerType))
  private val addedBytes = fixedBytes(schema.length + 1) - fixedBytes(schema.length)

  var rows = 0L

  /** Size of the rows as `UnsafeRow`s, in bytes. */
  var dataSize = 0L

  def insert(row: InternalRow, partition: Int): Unit = {
    partitionRow.setInt(0, partition)
    val added = project(joined(row, partitionRow))
    sorter.insertRow(added)
    dataSize += added.getSizeInBytes - addedBytes
    rows += 1
  }

  def sorted(): PartitionRows = new PartitionRows(sorter.sort(), schema.length)

  /** The partition, then the number of the row: all are distinct. */
  private class PrefixOfRow extends PrefixComputer {
    private val prefix = new PrefixComputer.Prefix

    override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      prefix.value = row.getInt(schema.length).toLong << NumberBits | rows
      prefix
    }
  }
}

private object PartitionSorter {

  /** More rows than any task has; the remaining bits suffice for Spark's partitions. */
  private val NumberBits = 39

  private def fixedBytes(columns: Int): Int =
    UnsafeRow.calculateBitSetWidthInBytes(columns) + 8 * columns

  private object PrefixesDiffer extends RecordComparator {
    override def compare(
        left: AnyRef,
        leftOffset: Long,
        leftLength: Int,
        right: AnyRef,
        rightOffset: Long,
        rightLength: Int): Int = 0
  }
}

/** Rows in the order of their partitions, read one after the other. */
private class PartitionRows(rows: Iterator[InternalRow], partitionOrdinal: Int)
    extends Iterator[InternalRow] {
  private val ahead = rows.buffered
  private var current = 0

  def goTo(partition: Int): Unit = current = partition

  override def hasNext: Boolean =
    ahead.hasNext && ahead.head.getInt(partitionOrdinal) == current

  override def next(): InternalRow = ahead.next()
}
