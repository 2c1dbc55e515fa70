package org.apache.spark.sql.broadhead

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.TaskContext

/**
 * The tasks of this executor in which Spark's operators replace a fragment.
 *
 * What these read may come from further fragments, which nothing replaces: they keep to the CPU, in
 * case that the GPU was what failed.
 */
private[broadhead] object ReplayingTasks {
  private val ids = ConcurrentHashMap.newKeySet[Long]()

  /** Counts the task among them until it ends. */
  def add(context: TaskContext): Unit = {
    val id = context.taskAttemptId()
    if (ids.add(id)) context.addTaskCompletionListener[Unit](_ => ids.remove(id))
  }

  def contain(context: TaskContext): Boolean = ids.contains(context.taskAttemptId())
}
