package org.apache.spark.sql.broadhead.execution

/**
 * One task of a fragment.
 *
 * @param leaves the partitions of each leaf that the task reads, by node id
 * @param branches the child that each union runs, by node id; unions without one run all
 */
private[broadhead] case class TaskParts(
    leaves: Map[Int, Seq[Int]],
    branches: Map[Int, Int] = Map.empty) {

  def ++(other: TaskParts): TaskParts =
    TaskParts(leaves ++ other.leaves, branches ++ other.branches)
}

/** The tasks of a fragment, in the order of the partitions of Spark's own operators. */
private[broadhead] sealed trait TaskLayout

private[broadhead] object TaskLayout {

  /** A leaf that every task reads as a whole, such as a broadcast. */
  case object Everywhere extends TaskLayout

  case class Tasks(tasks: IndexedSeq[TaskParts]) extends TaskLayout

  /** A leaf of which each task reads one partition. */
  def leaf(id: Int, partitions: Int): TaskLayout =
    Tasks((0 until partitions).map(part => TaskParts(Map(id -> Seq(part)))))

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

  /** A task for each pair of tasks. */
  def pairs(left: TaskLayout, right: TaskLayout): TaskLayout =
    Tasks(for (first <- tasksOf(left); second <- tasksOf(right)) yield first ++ second)

  /** The tasks of a whole fragment: one if it reads no partitioned leaf. */
  def tasksOf(layout: TaskLayout): IndexedSeq[TaskParts] = layout match {
    case Everywhere => IndexedSeq(TaskParts(Map.empty))
    case Tasks(tasks) => tasks
  }
}
