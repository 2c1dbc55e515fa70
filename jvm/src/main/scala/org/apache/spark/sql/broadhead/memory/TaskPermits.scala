package org.apache.spark.sql.broadhead.memory

import java.util.concurrent.{ConcurrentHashMap, Semaphore, TimeUnit}

import org.apache.spark.TaskContext

/** Limits the number of tasks that do something at the same time; fragments of a task share. */
private[broadhead] class TaskPermits(count: Int) {
  private val PollMillis = 50L

  private val semaphore = new Semaphore(count, true)
  private val admitted = ConcurrentHashMap.newKeySet[Long]()

  /**
   * Waits for a permit, which the task then has until it ends; returns the nanoseconds waited.
   *
   * @param atEnd called when the task has ended, before others get its permit
   */
  def enter(context: TaskContext)(atEnd: => Unit): Long = {
    val start = System.nanoTime()
    if (admitted.add(context.taskAttemptId())) {
      try
        while (!semaphore.tryAcquire(PollMillis, TimeUnit.MILLISECONDS))
          context.killTaskIfInterrupted()
      catch {
        case error: Throwable =>
          admitted.remove(context.taskAttemptId())
          throw error
      }
      context.addTaskCompletionListener[Unit] { ended =>
        admitted.remove(ended.taskAttemptId())
        try atEnd
        finally semaphore.release()
      }
    }
    System.nanoTime() - start
  }
}
