package org.apache.spark.sql.broadhead.gpu

import org.apache.spark.{MapOutputTrackerMaster, SparkEnv}
import org.apache.spark.shuffle.sort.SortShuffleManager

/** Partitions `start` to `end`, excluded, of the map output with this path in `KeptBlocks`. */
private[broadhead] case class KeptRange(path: String, start: Int, end: Int)

/** A shuffle whose rows the process on the GPU keeps, every map output. */
private[broadhead] object KeptShuffle {

  /** All partitions of its map outputs; nothing if one of them is anywhere else. */
  def ranges(shuffleId: Int, partitions: Int): Seq[KeptRange] = {
    val environment = SparkEnv.get
    (environment.shuffleManager, environment.mapOutputTracker) match {
      case (manager: SortShuffleManager, tracker: MapOutputTrackerMaster) =>
        val outputs =
          tracker.shuffleStatuses.get(shuffleId).toSeq.flatMap(_.withMapStatuses(_.toList))
        val found = outputs.filter(_ != null).map { output =>
          val file = manager.shuffleBlockResolver.getDataFile(shuffleId, output.mapId)
          KeptRange(file.getPath, 0, partitions)
        }
        if (found.length == outputs.length && areKept(found)) found else Nil
      case _ => Nil
    }
  }

  /** Whether the process has them all. */
  def areKept(ranges: Seq[KeptRange]): Boolean =
    ranges.forall(range => KeptBlocks.contain(range.path))
}
