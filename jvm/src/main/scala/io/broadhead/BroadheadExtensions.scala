package io.broadhead

import org.apache.spark.sql.broadhead.explanation.{ApplicationStart, ExplainFunction, ProfileFunction}
import org.apache.spark.sql.broadhead.planning.{FragmentColumnarRule, FragmentRewrite, OrderTagging}
import org.apache.spark.sql.broadhead.planning.adaptive.{AwaitRemoval, DevicePartitions, MeasuredBroadcast, OuterBroadcast, SmallSideFirst, UnionPartitions}
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.execution.adaptive.CoalesceShufflePartitions

/**
 * Adds Broadhead's rules to a session. The extensions work without the plugin: Spark Connect's
 * local server drops the user's `spark.plugins`, so they also do the plugin's work on the driver.
 */
class BroadheadExtensions extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    ApplicationStart.startActive()
    extensions.injectPlannerStrategy(_ => OrderTagging)
    // Adaptive execution prepares a plan as a whole and then passes only its stages to the
    // columnar rules; without it, only the columnar rules are called.
    extensions.injectQueryStagePrepRule(_ => FragmentRewrite)
    extensions.injectQueryStagePrepRule(_ => OuterBroadcast)
    extensions.injectQueryStagePrepRule(_ => SmallSideFirst)
    extensions.injectQueryStageOptimizerRule(_ => AwaitRemoval)
    extensions.injectQueryStageOptimizerRule { session =>
      UnionPartitions(CoalesceShufflePartitions(session))
    }
    extensions.injectQueryStageOptimizerRule(DevicePartitions(_))
    extensions.injectRuntimeOptimizerRule(_ => MeasuredBroadcast)
    extensions.injectColumnar(_ => FragmentColumnarRule)
    ExplainFunction.addTo(extensions)
    ProfileFunction.addTo(extensions)
  }
}
