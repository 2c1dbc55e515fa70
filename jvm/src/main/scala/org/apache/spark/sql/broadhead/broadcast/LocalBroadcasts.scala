package org.apache.spark.sql.broadhead.broadcast

import org.apache.spark.SparkContext

/**
 * Small blocks of broadcasts in a local application.
 *
 * Spark writes each broadcast into memory of a whole block first: of the tasks of each stage, of
 * Hadoop's configuration for each scan. These take a few kilobytes, a block 4 MiB, which the JVM
 * clears and has to collect. No executor fetches the blocks of a local application.
 */
object LocalBroadcasts {
  private val BlockSize = "spark.broadcast.blockSize"
  private val SmallBlock = "256k"

  /** Prepares an application before its first broadcast; the user's size is kept. */
  def prepare(context: SparkContext): Unit =
    if (context.isLocal) {
      context.conf.setIfMissing(BlockSize, SmallBlock)
      ()
    }
}
