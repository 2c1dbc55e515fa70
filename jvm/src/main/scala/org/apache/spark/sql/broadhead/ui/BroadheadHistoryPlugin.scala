package org.apache.spark.sql.broadhead.ui

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.SparkUI

/** Shows the tab in the history server, which finds this class by its service file in the jar. */
private[broadhead] class BroadheadHistoryPlugin extends AppHistoryServerPlugin {

  override def createListeners(conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] =
    Seq(new BroadheadStatusListener(conf, store))

  /** Applications without Broadhead have no tab. */
  override def setupUI(ui: SparkUI): Unit = {
    val status = new BroadheadStatus(ui.store.store)
    if (status.state.isDefined) new BroadheadTab(ui, status)
    ()
  }
}
