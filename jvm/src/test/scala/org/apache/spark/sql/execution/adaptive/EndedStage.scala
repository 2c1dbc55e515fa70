package org.apache.spark.sql.execution.adaptive

import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** Stages of adaptive execution without a job; in Spark's package, since it hides their results. */
object EndedStage {

  /** A stage that has not run. */
  def planned(exchange: ShuffleExchangeLike): ShuffleQueryStageExec =
    ShuffleQueryStageExec(0, exchange, exchange)

  /** A stage that has ended. */
  def of(exchange: ShuffleExchangeLike): ShuffleQueryStageExec = {
    val stage = planned(exchange)
    stage.resultOption.set(Some(()))
    stage
  }
}
