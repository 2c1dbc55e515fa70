package org.apache.spark.sql.broadhead.versions

import org.apache.spark.{Partition, ShuffleDependency, TaskContext}
import org.apache.spark.rdd.RDD
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
      rdd: RDD[_],
      dependency: ShuffleDependency[_, _, _],
      mapId: Long,
      context: TaskContext,
      partition: Partition): MapStatus =
    commit(rdd.iterator(partition, context), dependency, mapId, context)
}
