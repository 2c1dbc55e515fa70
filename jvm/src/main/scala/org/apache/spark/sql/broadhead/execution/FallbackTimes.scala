package org.apache.spark.sql.broadhead.execution

import org.apache.spark.util.AccumulatorV2

/** Nanoseconds of each call of a library that fell back from the GPU, over all tasks. */
private[broadhead] class FallbackTimes extends AccumulatorV2[(String, Long), Map[String, Long]] {
  private var times = Map.empty[String, Long]

  override def isZero: Boolean = times.isEmpty

  override def copy(): FallbackTimes = {
    val copied = new FallbackTimes
    copied.times = times
    copied
  }

  override def reset(): Unit = times = Map.empty

  override def add(call: (String, Long)): Unit = {
    val (name, nanoseconds) = call
    times += name -> (times.getOrElse(name, 0L) + nanoseconds)
  }

  override def merge(other: AccumulatorV2[(String, Long), Map[String, Long]]): Unit =
    other.value.foreach(add)

  override def value: Map[String, Long] = times
}

private[broadhead] object FallbackTimes {

  /** What stands between a node's id and the call in the name of a worker's metric. */
  val Prefix = "fallback:"
}
