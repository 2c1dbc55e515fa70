package org.apache.spark.sql.broadhead.execution

import org.apache.spark.sql.execution._

/** Maps `startMap` to `endMap` and partitions `startReduce` to `endReduce`, ends excluded. */
private[broadhead] case class ShuffleRange(
    startMap: Int,
    endMap: Int,
    startReduce: Int,
    endReduce: Int)

private[broadhead] object ShuffleRange {

  def of(spec: ShufflePartitionSpec): ShuffleRange = spec match {
    case CoalescedPartitionSpec(start, end, _) => ShuffleRange(0, Int.MaxValue, start, end)
    case PartialReducerPartitionSpec(reducer, start, end, _) =>
      ShuffleRange(start, end, reducer, reducer + 1)
    case PartialMapperPartitionSpec(map, start, end) => ShuffleRange(map, map + 1, start, end)
    case CoalescedMapperPartitionSpec(start, end, reducers) =>
      ShuffleRange(start, end, 0, reducers)
  }
}
