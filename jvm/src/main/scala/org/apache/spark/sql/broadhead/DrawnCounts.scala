package org.apache.spark.sql.broadhead

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.SocketChannel
import java.util.Random

import org.apache.spark.util.random.PoissonSampler

/** How often Spark draws the rows of a partition, with replacement. */
private[broadhead] case class PoissonSample(fraction: Double, seed: Long) {

  /** Gives the number of each row of a partition in turn, as `SampleExec` has them. */
  def sampler(partition: Int): PoissonSampler[Any] = {
    val seeds = new Random(seed)
    val sampler = new PoissonSampler[Any](fraction, useGapSamplingIfPossible = false)
    sampler.setSeed(Iterator.continually(seeds.nextLong()).drop(partition).next())
    sampler
  }
}

/**
 * How often a sample with replacement takes each row of a partition, without end.
 *
 * Spark's generator makes each number of the one before, which Python does some twenty times
 * slower; and how many are wanted nobody knows before the rows are there.
 *
 * @param partition its number, which a task that runs another branch of a union does not have
 */
private[broadhead] class DrawnCounts(sample: PoissonSample, partition: => Int)
    extends SocketAnswers {

  override def send(channel: SocketChannel): Unit = {
    val sampler = sample.sampler(partition)
    val chunk = ByteBuffer.allocateDirect(DrawnCounts.ChunkBytes).order(ByteOrder.LITTLE_ENDIAN)
    while (true) {
      chunk.clear()
      while (chunk.hasRemaining) chunk.putInt(sampler.sample())
      chunk.flip()
      while (chunk.hasRemaining) channel.write(chunk)
    }
  }
}

private object DrawnCounts {
  private val ChunkBytes = 1 << 16
}
