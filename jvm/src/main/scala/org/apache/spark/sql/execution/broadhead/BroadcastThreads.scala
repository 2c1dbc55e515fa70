package org.apache.spark.sql.execution.broadhead

import java.util.concurrent.ExecutorService

import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec

/** The threads on which Spark makes broadcasts, which only its own package may see. */
private[sql] object BroadcastThreads {
  def pool: ExecutorService = BroadcastExchangeExec.executionContext
}
