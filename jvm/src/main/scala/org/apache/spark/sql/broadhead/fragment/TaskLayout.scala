package org.apache.spark.sql.broadhead.fragment

/**
 * One task of a fragment.
 *
 * @param leaves the partitions of each leaf that the task reads, by node id
 * @param branches the child that each union runs, by node id; unions without one run all
 */
private[broadhead] case class TaskPartitions(
    leaves: Map[Int, Seq[Int]],
    branches: Map[Int, Int] = Map.empty) {

  def ++(other: TaskPartitions): TaskPartitions =
    TaskPartitions(leaves ++ other.leaves, branches ++ other.branches)

  /** The partitions of both tasks, leaf by leaf. */
  def and(other: TaskPartitions): TaskPartitions =
    TaskPartitions(
      leaves.map { case (id, parts) => id -> (parts ++ other.leaves(id)) },
      branches ++ other.branches)
}

/** The tasks of a fragment, in the order of the partitions of Spark's own operators. */
private[broadhead] sealed trait TaskLayout

private[broadhead] object TaskLayout {

  /** A leaf that every task reads as a whole, such as a broadcast. */
  case object Everywhere extends TaskLayout

  case class Tasks(tasks: IndexedSeq[TaskPartitions]) extends TaskLayout

  /** A leaf of which each task reads one partition. */
  def leaf(id: Int, partitions: Int): TaskLayout =
    Tasks((0 until partitions).map(part => TaskPartitions(Map(id -> Seq(part)))))

  /** Each task reads the partition of its number of all children. */
  def together(children: Seq[TaskLayout]): TaskLayout = {
    val partitioned = children.collect { case Tasks(tasks) => tasks }
    require(
      partitioned.map(_.length).distinct.length <= 1,
      "the sources of a fragment have " +
        s"${partitioned.map(_.length).mkString(", ")} partitions, but must have the same number")
    if (partitioned.isEmpty) Everywhere
    else Tasks(partitioned.transpose.map(_.reduce(_ ++ _)).toIndexedSeq)
  }

  /** The tasks of one child after those of the others; each runs only its own child. */
  def oneAfterTheOther(union: Int, children: Seq[TaskLayout]): TaskLayout =
    Tasks(children.zipWithIndex.flatMap { case (child, branch) =>
      tasksOf(child).map(task => task.copy(branches = task.branches + (union -> branch)))
    }.toIndexedSeq)

  /** At most so many tasks, each with the partitions of neighbouring tasks. */
  def neighbours(count: Int, layout: TaskLayout): TaskLayout = {
    val tasks = tasksOf(layout)
    // A request for one partition must return one.
    if (tasks.isEmpty && count == 1) Everywhere
    else
      Tasks(Neighbours.of(tasks.length, count).map(_.map(tasks(_)).reduce(_.and(_))).toIndexedSeq)
  }

  /** A task for each pair of tasks. */
  def pairs(left: TaskLayout, right: TaskLayout): TaskLayout =
    Tasks(for (first <- tasksOf(left); second <- tasksOf(right)) yield first ++ second)

  /** The tasks of a whole fragment: one if it reads no partitioned leaf. */
  def tasksOf(layout: TaskLayout): IndexedSeq[TaskPartitions] = layout match {
    case Everywhere => IndexedSeq(TaskPartitions(Map.empty))
    case Tasks(tasks) => tasks
  }
}
