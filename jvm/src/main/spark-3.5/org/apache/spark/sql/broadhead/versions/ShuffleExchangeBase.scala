package org.apache.spark.sql.broadhead.versions

import org.apache.spark.{FutureAction, MapOutputStatistics}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** A shuffle, whose job Spark cancels with its stage. */
private[broadhead] trait ShuffleExchangeBase extends ShuffleExchangeLike {
  def shuffleId: Int

  /** Spark finds the job in the future of the shuffle's statistics. */
  protected def submitted(job: FutureAction[MapOutputStatistics]): Unit = ()
}
