package org.apache.spark.sql.broadhead.planning

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.internal.SQLConf

/** The measured size up to which a side of a join is broadcast. */
private[broadhead] object BroadcastLimit {

  /**
   * Spark's limit if the user has set it. Its default is meant for rows: every task of Spark
   * reads a relation of objects, while all workers of a host read the same batches.
   */
  def of(conf: SQLConf, settings: Settings): Long = {
    val usual = conf
      .getConf(SQLConf.ADAPTIVE_AUTO_BROADCASTJOIN_THRESHOLD)
      .getOrElse(conf.autoBroadcastJoinThreshold)
    if (isFixed(conf)) usual else math.max(usual, own(settings))
  }

  private def isFixed(conf: SQLConf): Boolean =
    conf.contains(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key) ||
      conf.contains(SQLConf.ADAPTIVE_AUTO_BROADCASTJOIN_THRESHOLD.key)

  /**
   * For the GPU, on which a join is faster than a shuffle of either side: a fraction of the
   * memory of an operator there, and of the driver's memory, through which a broadcast is sent.
   */
  private def own(settings: Settings): Long =
    if (BroadheadState.mayUseGpu(settings)) {
      val operator = settings.operatorMemory.getOrElse(Settings.OperatorBytes)
      math.min(operator / OperatorShare, Runtime.getRuntime.maxMemory / HeapShare)
    } else {
      0
    }

  /** Fraction of the memory of an operator on the CPU; one on a GPU has eight times as much. */
  private val OperatorShare = 2
  private val HeapShare = 16
}
