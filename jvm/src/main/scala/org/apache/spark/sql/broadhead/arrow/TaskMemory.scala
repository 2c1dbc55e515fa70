package org.apache.spark.sql.broadhead.arrow

import org.apache.arrow.memory.BufferAllocator

import org.apache.spark.TaskContext

/** Memory that is released when the running task ends. */
private[broadhead] object TaskMemory {

  def allocator(purpose: String): BufferAllocator = {
    val task = TaskContext.get()
    val allocator = ArrowLayout.newAllocator(s"$purpose ${task.taskAttemptId()}")
    task.addTaskCompletionListener[Unit](_ => ArrowLayout.close(allocator))
    allocator
  }

  def closeAtEnd(resource: AutoCloseable): Unit =
    TaskContext.get().addTaskCompletionListener[Unit](_ => resource.close())
}
