package org.apache.spark.sql.broadhead.gpu

import java.util.concurrent.ConcurrentHashMap

/**
 * Python functions over large groups whose time on the CPU has reached what the first use of a GPU
 * costs: from then on their tasks run there, however small their input is.
 */
private[broadhead] object LongFunctions {

  /** Loading cuDF and cuML takes about as long. */
  private val LoadNanos = 5000000000L

  private val times = new ConcurrentHashMap[Int, Long]()

  def contain(use: GpuUse): Boolean =
    use.functions.exists(hash => times.getOrDefault(hash, 0L) >= LoadNanos)

  /** Adds the time of one task on the CPU. */
  def add(use: GpuUse, nanos: Long): Unit =
    use.functions.foreach(hash => times.merge(hash, nanos, (a: Long, b: Long) => a + b))
}
