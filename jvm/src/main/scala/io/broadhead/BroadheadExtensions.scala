package io.broadhead

import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.planning.adaptive.{AwaitRemoval, MeasuredBroadcast, SmallSideFirst}
import org.apache.spark.sql.broadhead.planning.{FragmentColumnarRule, FragmentRewrite, OrderTagging}
import org.apache.spark.sql.SparkSessionExtensions

/**
 * Puts Broadhead's rules into a session. Enough by itself: Spark Connect's local server drops the
 * user's `spark.plugins`, so all that the plugin does on the driver is done here too.
 */
class BroadheadExtensions extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    BroadheadState.startActive()
    extensions.injectPlannerStrategy(_ => OrderTagging)
    // Adaptive execution prepares a plan as a whole and then only shows the columnar rules its
    // stages; without it, only the columnar rules are called.
    extensions.injectQueryStagePrepRule(_ => FragmentRewrite)
    extensions.injectQueryStagePrepRule(_ => SmallSideFirst)
    extensions.injectQueryStageOptimizerRule(_ => AwaitRemoval)
    extensions.injectRuntimeOptimizerRule(_ => MeasuredBroadcast)
    extensions.injectColumnar(_ => FragmentColumnarRule)
  }
}
