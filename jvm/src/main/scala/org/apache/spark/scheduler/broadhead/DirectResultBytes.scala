package org.apache.spark.scheduler.broadhead

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{TaskSchedulerImpl, TaskSetManager}

/**
 * Counts the results that tasks pass to the driver by reference towards
 * `spark.driver.maxResultSize`, as if they had been serialized.
 */
private[spark] class DirectResultBytes(context: SparkContext) {

  /** The scheduler checks this sum when the task's own, small result arrives. */
  private val sum = classOf[TaskSetManager].getDeclaredField("totalResultSize")
  sum.setAccessible(true)

  /** Adds a task's bytes; false if nobody waits for the task's result any more. */
  def add(taskId: Long, bytes: Long): Boolean = context.taskScheduler match {
    case scheduler: TaskSchedulerImpl =>
      scheduler.synchronized {
        Option(scheduler.taskIdToTaskSetManager.get(taskId)).filterNot(_.isZombie).exists {
          tasks =>
            sum.setLong(tasks, sum.getLong(tasks) + bytes)
            true
        }
      }
    case _ => false
  }
}
