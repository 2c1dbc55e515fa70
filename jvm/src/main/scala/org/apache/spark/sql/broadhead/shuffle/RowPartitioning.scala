package org.apache.spark.sql.broadhead.shuffle

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning, RangePartitioning, RoundRobinPartitioning}

/** Computes the partitions of Spark's rows, with the same result as the engine. */
private[broadhead] sealed trait RowPartitioning extends Serializable {
  def partitions: Int

  /** The partition of each row of a task; to be called for all of them in their order. */
  def ofTask(task: Int): InternalRow => Int
}

private[broadhead] object RowPartitioning {

  def of(
      partitioning: Partitioning,
      input: Seq[Attribute],
      bounds: => Seq[InternalRow]): RowPartitioning = partitioning match {
    case hash: HashPartitioning =>
      HashedRows(
        BindReferences.bindReference(hash.partitionIdExpression, input),
        hash.numPartitions)
    case RangePartitioning(ordering, count) if ShufflePartitionings.hasBounds(partitioning) =>
      RangedRows(
        BindReferences.bindReferences(ordering.map(_.child), input),
        RangeBounds.orderingOf(ordering),
        bounds.toArray,
        count)
    case RoundRobinPartitioning(count) => RowsInTurn(count)
    case _ => RowsTogether
  }
}

/** By Spark's own hash. */
private case class HashedRows(id: Expression, partitions: Int) extends RowPartitioning {

  override def ofTask(task: Int): InternalRow => Int = {
    val project = UnsafeProjection.create(Seq(id))
    row => project(row).getInt(0)
  }
}

/** The number of bounds that are less than the row's keys. */
private case class RangedRows(
    keys: Seq[Expression],
    ordering: LazilyGeneratedOrdering,
    bounds: Array[InternalRow],
    partitions: Int)
    extends RowPartitioning {

  override def ofTask(task: Int): InternalRow => Int = {
    val project = UnsafeProjection.create(keys)
    row => boundsBefore(project(row))
  }

  private def boundsBefore(key: InternalRow): Int = {
    var start = 0
    var end = bounds.length
    while (start < end) {
      val middle = (start + end) / 2
      if (ordering.compare(bounds(middle), key) < 0) start = middle + 1 else end = middle
    }
    start
  }
}

/** Round robin, starting with a partition that depends on the task. */
private case class RowsInTurn(partitions: Int) extends RowPartitioning {

  override def ofTask(task: Int): InternalRow => Int = {
    var next = ((task * RowsInTurn.Spread >> 16) % partitions).toInt
    _ => {
      val id = next
      next = (next + 1) % partitions
      id
    }
  }
}

private object RowsInTurn {

  /** The engine starts with the same partition: a repeated task may run in either. */
  private val Spread = 0x9e3779b1L
}

private case object RowsTogether extends RowPartitioning {
  override def partitions: Int = 1

  override def ofTask(task: Int): InternalRow => Int = _ => 0
}
