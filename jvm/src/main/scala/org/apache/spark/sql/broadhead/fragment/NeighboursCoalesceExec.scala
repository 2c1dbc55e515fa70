package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition, UnknownPartitioning}
import org.apache.spark.sql.execution._

/**
 * Spark's `CoalesceExec` with partitions that follow from their numbers alone, as those of the
 * engine's tasks. Spark itself may prefer partitions of one host.
 */
private[broadhead] case class NeighboursCoalesceExec(numPartitions: Int, child: SparkPlan)
    extends UnaryExecNode {

  override def nodeName: String = "Coalesce"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    if (numPartitions == 1) SinglePartition else UnknownPartitioning(numPartitions)

  protected override def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    if (rows.getNumPartitions == 0) CoalesceExec(numPartitions, child).execute()
    else rows.coalesce(numPartitions, partitionCoalescer = Some(new Neighbours))
  }

  protected override def withNewChildInternal(newChild: SparkPlan): NeighboursCoalesceExec =
    copy(child = newChild)
}

/** Groups of neighbouring partitions: Spark's own where partitions have no preferred host. */
private[broadhead] class Neighbours extends PartitionCoalescer with Serializable {
  override def coalesce(maxPartitions: Int, parent: RDD[_]): Array[PartitionGroup] =
    Neighbours
      .of(parent.partitions.length, maxPartitions)
      .map { numbers =>
        val group = new PartitionGroup()
        group.partitions ++= numbers.map(parent.partitions(_))
        group
      }
      .toArray
}

private[broadhead] object Neighbours {

  /** The numbers of the partitions of each group. */
  def of(partitions: Int, groups: Int): Seq[Seq[Int]] = {
    val count = groups.min(partitions)
    def start(group: Int) = (group.toLong * partitions / count).toInt
    (0 until count).map(group => start(group) until start(group + 1))
  }
}
