package org.apache.spark.sql.broadhead.explanation

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.planning.BroadheadExplain
import org.apache.spark.sql.broadhead.ui.BroadheadTab
import org.apache.spark.sql.broadhead.versions.{Recoverable, VersionedSpark}

/** Prepares an application, with what Spark's UI and its event log show of it. */
object ApplicationStart extends Logging {
  private val ExplainProviders = "spark.sql.extendedExplainProviders"

  /** Once for an application; the plugin and the extensions both call it. */
  def start(context: SparkContext): Unit = BroadheadState.start(context) {
    BroadheadState.addToList(context.conf, ExplainProviders, classOf[BroadheadExplain].getName)
    if (context.ui.isDefined || context.isEventLogEnabled) guarded {
      val retained = VersionedSpark.retainedExecutions(context.conf)
      context.listenerBus.addToStatusQueue(new PlanEvents(context.listenerBus.post(_), retained))
    }
    context.ui.foreach(ui => guarded(BroadheadTab.attach(context, ui)))
  }

  /** Prepares the running application, if there is one. */
  def startActive(): Unit = SparkContext.getActive.foreach(start)

  /** A defect must not fail the application. */
  private def guarded(action: => Unit): Unit =
    try action
    catch {
      case Recoverable(defect) => logInfo("Broadhead cannot be shown in Spark's UI", defect)
    }
}
