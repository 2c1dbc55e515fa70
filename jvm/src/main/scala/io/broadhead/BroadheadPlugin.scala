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

/** The start with a jar that may be for another Spark: the program then runs in plain Spark. */
private object Started {

  def guarded(start: => Unit): Unit =
    try start
    catch {
      case error: LinkageError =>
        LoggerFactory
          .getLogger(classOf[BroadheadPlugin])
          .warn(
            "Broadhead is switched off, queries run on Spark alone: its jar is for another " +
              "version of Spark or Scala than this Spark " + SPARK_VERSION +
              ", and `broadhead jar` names the one for it (" + error + ")")
    }
}

private class BroadheadDriverPlugin extends DriverPlugin {

  override def init(context: SparkContext, plugin: PluginContext): JavaMap[String, String] = {
    Started.guarded {
      LocalResults.prepare(context)
      LocalBroadcasts.prepare(context)
      ApplicationStart.start(context)
      BroadheadState.addToList(
        plugin.conf(),
        "spark.sql.extensions",
        classOf[BroadheadExtensions].getName)
    }
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
    Started.guarded {
      ExecutorProbe.start(plugin)
      ForkServer.start(plugin.conf())
      DeviceProcess.startAhead(plugin.conf())
    }

  override def shutdown(): Unit = Started.guarded {
    DeviceProcess.stop()
  }
}
