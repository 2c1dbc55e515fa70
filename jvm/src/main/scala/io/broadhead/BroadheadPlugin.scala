package io.broadhead

import java.util.{Collections, Map => JavaMap}

import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.SparkContext
import org.apache.spark.sql.broadhead.application.{BroadheadState, ExecutorProbe}
import org.apache.spark.sql.broadhead.broadcast.LocalBroadcasts
import org.apache.spark.sql.broadhead.execution.ForkServer
import org.apache.spark.sql.broadhead.explanation.ApplicationStart
import org.apache.spark.sql.broadhead.gpu.DeviceProcess
import org.apache.spark.sql.broadhead.results.LocalResults

/** The class that a user names in `spark.plugins`. */
class BroadheadPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new BroadheadDriverPlugin
  override def executorPlugin(): ExecutorPlugin = new BroadheadExecutorPlugin
}

private class BroadheadDriverPlugin extends DriverPlugin {

  override def init(context: SparkContext, plugin: PluginContext): JavaMap[String, String] = {
    BroadheadState.addToList(
      plugin.conf(),
      "spark.sql.extensions",
      classOf[BroadheadExtensions].getName)
    LocalResults.prepare(context)
    LocalBroadcasts.prepare(context)
    ApplicationStart.start(context)
    Collections.emptyMap()
  }

  override def receive(message: AnyRef): AnyRef = {
    message match {
      case report: String => BroadheadState.executorReported(report)
      case _ =>
    }
    null
  }
}

private class BroadheadExecutorPlugin extends ExecutorPlugin {

  override def init(plugin: PluginContext, extra: JavaMap[String, String]): Unit = {
    ExecutorProbe.start(plugin)
    ForkServer.start(plugin.conf())
    DeviceProcess.startAhead(plugin.conf())
  }

  override def shutdown(): Unit = {
    DeviceProcess.stop()
  }
}
