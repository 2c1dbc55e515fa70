package org.apache.spark.sql.broadhead.replay

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.TaskContext

/**
 * The tasks of this executor in which Spark's operators replace a fragment.
 *
 * Their input may come from other fragments, which nothing replaces: these run on the CPU, in
 * case the GPU caused the failure.
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
