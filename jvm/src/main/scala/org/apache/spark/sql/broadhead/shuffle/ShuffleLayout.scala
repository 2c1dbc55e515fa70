package org.apache.spark.sql.broadhead.shuffle

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.shuffle.BaseShuffleHandle
import org.apache.spark.sql.broadhead.execution.{FragmentInputs, FragmentPartition, SourceLayout, TaskSource}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Blocks of a shuffle.
 *
 * @param metrics Spark's metrics of reading a shuffle, by name
 */
private[broadhead] case class ShuffleLayout(
    node: Int,
    handle: BaseShuffleHandle[_, _, _],
    metrics: Map[String, SQLMetric])
    extends SourceLayout {

  override def open(
      partition: FragmentPartition,
      number: Int,
      inputs: FragmentInputs,
      context: TaskContext): TaskSource =
    new FetchedBlocks(this, partition.blocks.getOrElse(number, Nil), context)

  override def bytes(partition: FragmentPartition, number: Int): Option[Long] =
    Some(
      partition.blocks
        .getOrElse(number, Nil)
        .map { range =>
          SparkEnv.get.mapOutputTracker
            .getMapSizesByExecutorId(
              handle.shuffleId,
              range.startMap,
              range.endMap,
              range.startReduce,
              range.endReduce)
            .flatMap(_._2.map(_._2))
            .sum
        }
        .sum)
}
