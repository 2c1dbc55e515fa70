package org.apache.spark.sql.broadhead.fragment

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.execution.{FragmentPartition, SplitGroups}
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.execution.datasources.FilePartition

/**
 * The tasks of a fragment.
 *
 * @param replays partitions of Spark's own operators, each of which belongs to one of the tasks
 */
private[broadhead] case class FragmentTasks(partitions: Seq[FragmentPartition], replays: Int)

/** Computes the tasks of a fragment. */
private[broadhead] object FragmentPartitions {

  /** The tasks, with the partitions of Spark's own operators that each of them replaces. */
  def of(
      fragment: EncodedFragment,
      splits: Map[Int, Seq[FilePartition]],
      sources: DriverSources,
      settings: Settings): FragmentTasks = {
    val counts = splits.map { case (node, files) => node -> files.length } ++
      sources.partitionCounts ++ ownCounts(fragment)
    val tasks = TaskLayout.tasksOf(layout(fragment, counts))
    val maker = new PartitionMaker(splits, sources)
    val groups =
      grouping(fragment, splits, counts, settings).getOrElse(tasks.indices.map(Seq(_)))
    val partitions = groups.zipWithIndex.map { case (members, index) =>
      maker.make(index, members.map(tasks(_)), members)
    }
    FragmentTasks(partitions, tasks.length)
  }

  private def ownCounts(fragment: EncodedFragment): Map[Int, Int] =
    fragment.nodes.zipWithIndex.collect { case (leaf: PartitionedLeaf, id) =>
      id -> leaf.partitionCount
    }.toMap

  private def layout(fragment: EncodedFragment, counts: Map[Int, Int]): TaskLayout = {
    val ids = Iterator.from(0)
    def walk(node: FragmentNode): TaskLayout = {
      val id = ids.next()
      val below = FragmentEncoder.childrenOf(node).map(walk)
      counts.get(id).map(TaskLayout.leaf(id, _)).getOrElse(node.layout(id, below))
    }
    walk(fragment.root)
  }

  /** The Spark partitions of each task; None if each task has one. */
  private def grouping(
      fragment: EncodedFragment,
      splits: Map[Int, Seq[FilePartition]],
      counts: Map[Int, Int],
      settings: Settings): Option[Seq[Seq[Int]]] = {
    val tasks = BroadheadState.gpus * settings.gpuTasks
    val movable = !fragment.nodes.exists(_.isInstanceOf[PartitionDependent])
    if (movable && counts.size == 1 && splits.size == 1 && settings.device != "cpu" && tasks > 0 &&
      isFree(fragment.root) && !fragment.functionTargets.exists(_.seesTask)) {
      val minBytes = if (settings.device == "gpu") 1L else settings.gpuMinBytes
      val partitions = splits.values.head
      val order = splitOrder(fragment.root, partitions, settings)
      val sizes = order.map(partitions(_).files.map(_.length).sum)
      Some(SplitGroups.of(sizes, tasks, minBytes).map(_.map(order(_))))
    } else {
      None
    }
  }

  /**
   * The partitions of a scan in the order in which tasks get them.
   *
   * Spark orders splits by their size: a task would get the ends of many files, and each file is a
   * call of its own. The rows that a shuffle brings to one task are in any order.
   */
  private def splitOrder(
      root: FragmentNode,
      partitions: Seq[FilePartition],
      settings: Settings): Seq[Int] =
    if (root.distributes && !settings.exact) {
      partitions.indices.sortBy { position =>
        partitions(position).files.headOption.fold(("", 0L))(f => (f.filePath.toString, f.start))
      }
    } else {
      partitions.indices
    }

  /** A partitioning that Spark relies on (bucketed tables) must not change. */
  private def isFree(root: FragmentNode): Boolean =
    root.distributes || root.original.outputPartitioning.isInstanceOf[UnknownPartitioning]
}

/** A leaf that creates its rows itself, in several partitions. */
private[broadhead] trait PartitionedLeaf extends FragmentNode {
  def partitionCount: Int
}

/** A node whose rows depend on the number of the Spark partition that it replaces. */
private[broadhead] trait PartitionDependent extends FragmentNode {

  /** Each task has the number of its partition of the node. */
  override def layout(id: Int, below: Seq[TaskLayout]): TaskLayout = {
    val tasks = TaskLayout.tasksOf(TaskLayout.together(below))
    TaskLayout.Tasks(tasks.zipWithIndex.map { case (task, number) =>
      task.copy(leaves = task.leaves + (id -> Seq(number)))
    })
  }
}

private class PartitionMaker(splits: Map[Int, Seq[FilePartition]], sources: DriverSources) {

  /** One task combined from the given ones. */
  def make(index: Int, members: Seq[TaskPartitions], replays: Seq[Int]): FragmentPartition = {
    def partsOf(node: Int): Seq[Int] = members.flatMap(_.leaves.getOrElse(node, Nil))
    FragmentPartition(
      index,
      splits.map { case (node, files) => node -> partsOf(node).flatMap(files(_).files) },
      members.head.leaves.filter { case (node, _) => !splits.contains(node) },
      sources.rows.map { case (number, source) =>
        number -> partsOf(sources.nodes(number)).map(source.rdd.partitions(_))
      },
      sources.shuffles.map { case (number, blocks) =>
        number -> partsOf(sources.nodes(number)).map(blocks.ranges(_))
      },
      members.head.branches,
      replays)
  }
}
