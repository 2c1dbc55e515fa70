package org.apache.spark.sql.broadhead.results

import org.apache.spark.SparkContext

/**
 * Passes large results of tasks to the driver directly if both are one process.
 *
 * Spark puts a result of more than a megabyte into the block manager and fetches it from there
 * over a connection, in local mode from itself.
 */
object LocalResults {
  private val DirectSize = "spark.task.maxDirectResultSize"
  private val MessageSize = "spark.rpc.message.maxSize"
  private val DefaultMessageMebibytes = 128

  /** Such a result becomes one array: it must still be easy to allocate. */
  private val HeapShare = 16
  private val MostMebibytes = 256

  /** Prepares an application before its executor starts; the user's settings are kept. */
  def prepare(context: SparkContext): Unit =
    if (context.isLocal && !context.conf.contains(DirectSize)) {
      val heap = Runtime.getRuntime.maxMemory >> 20
      val mebibytes = math.min(heap / HeapShare, MostMebibytes.toLong)
      context.conf.set(DirectSize, s"${mebibytes}m")
      if (mebibytes > DefaultMessageMebibytes) {
        context.conf.setIfMissing(MessageSize, mebibytes.toString)
      }
    }
}
