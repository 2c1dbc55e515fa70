package org.apache.spark.sql.broadhead.versions

import org.apache.spark.{ShuffleDependency, TaskContext}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.shuffle.ShuffleWriteProcessor

/** The end of a map task. */
private[broadhead] abstract class ShuffleCommit extends ShuffleWriteProcessor {

  /** Writes the rows of a task, and says where they are. */
  protected def commit(
      rows: Iterator[_],
      dependency: ShuffleDependency[_, _, _],
      mapId: Long,
      context: TaskContext): MapStatus

  override def write(
      inputs: Iterator[_],
      dependency: ShuffleDependency[_, _, _],
      mapId: Long,
      mapIndex: Int,
      context: TaskContext): MapStatus = commit(inputs, dependency, mapId, context)
}
