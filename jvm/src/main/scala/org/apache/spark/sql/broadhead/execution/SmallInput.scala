package org.apache.spark.sql.broadhead.execution

import org.apache.spark.SparkEnv

/** Tasks that Spark's operators end in less time than a worker needs to start. */
private[broadhead] object SmallInput {

  /** Spark reads this much of Parquet in half a second, and a worker starts in two or three. */
  private val MaxBytes = 16L << 20

  /** Whether the sizes of all inputs of a task are known, and small together. */
  def is(program: FragmentProgram, partition: FragmentPartition): Boolean = {
    val shuffles = program.sources.collect { case shuffle: ShuffleLayout => shuffle.node }
    // Spark's operators start workers themselves for the user's functions.
    program.workers.functions.isEmpty && partition.rows.isEmpty &&
    partition.parts.keys.forall(shuffles.contains) &&
    bytes(program, partition) <= MaxBytes
  }

  private def bytes(program: FragmentProgram, partition: FragmentPartition): Long =
    partition.files.values.flatten.map(_.length).sum +
      program.sources.zipWithIndex.map {
        case (shuffle: ShuffleLayout, number) => blockBytes(shuffle, partition, number)
        case (BroadcastLayout(content), _) => content.bytes
        case (_: RowSourceLayout, _) => 0L
      }.sum

  private def blockBytes(
      shuffle: ShuffleLayout,
      partition: FragmentPartition,
      number: Int): Long =
    partition.blocks.getOrElse(number, Nil).map { range =>
      SparkEnv.get.mapOutputTracker
        .getMapSizesByExecutorId(
          shuffle.handle.shuffleId,
          range.startMap,
          range.endMap,
          range.startReduce,
          range.endReduce)
        .flatMap(_._2.map(_._2))
        .sum
    }.sum
}
