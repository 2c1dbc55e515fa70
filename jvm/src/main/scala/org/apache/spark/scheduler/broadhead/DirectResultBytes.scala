package org.apache.spark.scheduler.broadhead

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{TaskSchedulerImpl, TaskSetManager}

/**
 * Counts the results that tasks hand to the driver by reference among those that
 * `spark.driver.maxResultSize` limits, as if they had come in bytes.
 */
private[spark] class DirectResultBytes(context: SparkContext) {

  /** The scheduler looks at this sum when the task's own, small result comes. */
  private val sum = classOf[TaskSetManager].getDeclaredField("totalResultSize")
  sum.setAccessible(true)

  /** Adds a task's bytes; false where nothing waits for the task's result any more. */
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
