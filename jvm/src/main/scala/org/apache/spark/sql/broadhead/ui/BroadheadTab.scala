package org.apache.spark.sql.broadhead.ui

import scala.xml.Node

import org.apache.spark.SparkContext
import org.apache.spark.sql.broadhead.versions.{CompiledSpark, VersionedSpark}
import org.apache.spark.status.ElementTrackingStore
import org.apache.spark.ui.{SparkUI, SparkUITab, UIUtils}

/** The tab of Broadhead in Spark's UI, of a running application and in the history server. */
private[ui] class BroadheadTab(val parent: SparkUI, val status: BroadheadStatus)
    extends SparkUITab(parent, "broadhead") {
  attachPage(new OverviewPage(this))
  attachPage(new OperatorsPage(this))
  parent.attachTab(this)

  /** A page with Spark's head. Everything in a text of `content` is escaped. */
  def page(request: CompiledSpark.HttpRequest, title: String, content: Seq[Node]): Seq[Node] =
    VersionedSpark.withDefaults[Seq[Node]](
      UIUtils,
      "headerSparkPage",
      Seq(request, title, () => content, this))

  /** The address of a page under the UI, also behind a proxy. */
  def address(request: CompiledSpark.HttpRequest, path: String): String =
    s"${UIUtils.prependBaseUri(request, parent.basePath)}/$path"
}

private[broadhead] object BroadheadTab {

  /** Adds the tab to the UI of a running application. */
  def attach(context: SparkContext, ui: SparkUI): Unit = context.statusStore.store match {
    case store: ElementTrackingStore =>
      context.listenerBus.addToStatusQueue(new BroadheadStatusListener(context.conf, store))
      new BroadheadTab(ui, new BroadheadStatus(store))
      ()
    case _ =>
  }
}
