package org.apache.spark.sql.broadhead.gpu

import java.util.concurrent.ConcurrentHashMap

/** Python functions that this executor's tasks call on the CPU, since the GPU did not pay. */
private[broadhead] object HostFunctions {
  private val hashes = ConcurrentHashMap.newKeySet[Int]()

  /** Whether the functions that are planned for the GPU have been found to be slower there. */
  def contain(use: GpuUse): Boolean = use.functions.exists(hashes.contains(_))

  def add(use: GpuUse): Unit = use.functions.foreach(hashes.add(_))
}
