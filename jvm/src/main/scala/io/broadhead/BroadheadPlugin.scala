package io.broadhead

import java.util.{Collections, Map => JavaMap}

import org.slf4j.LoggerFactory

import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.{SPARK_VERSION, SparkContext}
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

/** A jar for another Spark or Scala: some class that it needs is not there. */
private object OtherSpark {

  def warn(error: LinkageError): Unit =
    LoggerFactory
      .getLogger(classOf[BroadheadPlugin])
      .warn(
        "Broadhead is switched off, queries run on Spark alone: its jar is for another version " +
          "of Spark or Scala than this Spark " + SPARK_VERSION +
          ", and `broadhead jar` names the one for it (" + error + ")")
}

// Without closures: those of another Scala cannot be loaded.
private class BroadheadDriverPlugin extends DriverPlugin {

  override def init(context: SparkContext, plugin: PluginContext): JavaMap[String, String] = {
    try {
      LocalResults.prepare(context)
      LocalBroadcasts.prepare(context)
      ApplicationStart.start(context)
      BroadheadState.addToList(
        plugin.conf(),
        "spark.sql.extensions",
        classOf[BroadheadExtensions].getName)
    } catch { case error: LinkageError => OtherSpark.warn(error) }
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

  override def init(plugin: PluginContext, extra: JavaMap[String, String]): Unit =
    try {
      ExecutorProbe.start(plugin)
      ForkServer.start(plugin.conf())
      DeviceProcess.startAhead(plugin.conf())
    } catch { case error: LinkageError => OtherSpark.warn(error) }

  override def shutdown(): Unit =
    try DeviceProcess.stop()
    catch { case error: LinkageError => OtherSpark.warn(error) }
}
