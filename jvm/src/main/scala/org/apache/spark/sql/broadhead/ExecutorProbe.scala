package org.apache.spark.sql.broadhead

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.PluginContext
import org.apache.spark.internal.Logging

/** Checks an executor's own Python and tells the driver. */
object ExecutorProbe extends Logging {

  def start(plugin: PluginContext): Unit =
    // In local mode the executor is the driver's JVM, which has its own probe.
    if (plugin.executorID() != SparkContext.DRIVER_IDENTIFIER) {
      val thread = new Thread(() => report(plugin), "broadhead probe")
      thread.setDaemon(true)
      thread.start()
    }

  private def report(plugin: PluginContext): Unit = {
    val found = PythonProbe.run(plugin.conf())
    // Spark's `gpu` resource says which devices are this executor's; without it, one is used.
    val own = Option(plugin.resources().get("gpu")).map(_.addresses.toSeq)
    val gpus = if (found.gpus.isEmpty) Nil else own.getOrElse(found.gpus.take(1))
    val fault = found.fault.map(text =>
      s"$text (executor ${plugin.executorID()} on " +
        s"${plugin.hostname()})")
    val message = Json.obj(
      "executor" -> Json.text(plugin.executorID()),
      "report" -> found.copy(gpus = gpus, fault = fault).toJson)
    // The driver's RPC class loader may not know the plugin's classes, so a text is sent.
    try plugin.send(Json.write(message))
    catch {
      case NonFatal(error) =>
        logInfo(s"Broadhead could not report this executor's Python to the driver: $error")
    }
  }
}
