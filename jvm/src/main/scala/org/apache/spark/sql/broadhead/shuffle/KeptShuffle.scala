package org.apache.spark.sql.broadhead.shuffle

import org.apache.spark.{MapOutputTrackerMaster, SparkEnv}
import org.apache.spark.shuffle.sort.SortShuffleManager
import org.apache.spark.sql.broadhead.broadcast.KeptRange
import org.apache.spark.sql.broadhead.gpu.KeptBlocks

/** A shuffle whose rows the process on the GPU keeps, every map output. */
private[broadhead] object KeptShuffle {

  /** All partitions of its map outputs; nothing if one of them is anywhere else. */
  def ranges(exchange: BroadheadShuffleExchange): Seq[KeptRange] = {
    val environment = SparkEnv.get
    val shuffleId = exchange.shuffleId
    (environment.shuffleManager, environment.mapOutputTracker) match {
      case (manager: SortShuffleManager, tracker: MapOutputTrackerMaster) =>
        val outputs =
          tracker.shuffleStatuses.get(shuffleId).toSeq.flatMap(_.withMapStatuses(_.toList))
        val found = outputs.filter(_ != null).map { output =>
          val file = manager.shuffleBlockResolver.getDataFile(shuffleId, output.mapId)
          KeptRange(file.getPath, 0, exchange.numPartitions)
        }
        val complete = found.length == outputs.length
        if (complete && found.forall(range => KeptBlocks.contain(range.path))) found else Nil
      case _ => Nil
    }
  }
}
