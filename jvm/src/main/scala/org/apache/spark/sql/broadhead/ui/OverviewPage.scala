package org.apache.spark.sql.broadhead.ui

import scala.xml.{Node, NodeSeq}

import org.apache.spark.sql.broadhead.application.BroadheadStateEvent
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.ui.{UIUtils, WebUIPage}

/** State, settings, reasons and queries of an application. */
private[ui] class OverviewPage(tab: BroadheadTab) extends WebUIPage("") {

  override def render(request: CompiledSpark.HttpRequest): Seq[Node] = {
    val queries = tab.status.queries
    val groups = tab.status.executors
    val content = summary(queries, groups) ++ executors(groups) ++ settings(queries) ++
      reasons(request, queries) ++ QueryTable.of(tab, request, queries)
    tab.page(request, "Broadhead", content)
  }

  private def summary(queries: Seq[ShownQuery], groups: Seq[ExecutorGroup]): NodeSeq =
    <ul class="list-unstyled">
      {tab.status.state.toSeq.flatMap(stateItems)}
      {
      if (groups.length == 1)
        item("Executors", s"${groups.head.names.length}, all with this Python")
      else Nil
    }
      {groups.filter(_ => groups.length == 1).flatMap(memory)}
      {shares(queries)}
    </ul>

  private def stateItems(state: BroadheadStateEvent): Seq[Node] = {
    val (name, colour) = state.state match {
      case "on" => ("On", "success")
      case "off" => ("Off", "danger")
      case other => (other.capitalize, "secondary")
    }
    val device = if (state.device == "gpu") s"GPU (${state.deviceName})" else "CPU"
    val versions = Seq(
      "Broadhead" -> state.version,
      "Spark" -> state.sparkVersion,
      "Python" -> state.python,
      "pyarrow" -> state.pyarrow,
      "cuDF" -> state.cudf,
      "NVIDIA driver" -> state.driver)
    val known = versions.collect { case (what, version) if version.nonEmpty => s"$what $version" }
    <li><strong>State: </strong>{Texts.badge(name, colour)} {state.reason}</li> ++
      item("Device", device) ++
      item("Versions", known.mkString(", "))
  }

  private def shares(queries: Seq[ShownQuery]): Seq[Node] = {
    val accelerated = queries.map(_.plan.accelerated).sum
    val total = queries.map(_.plan.total).sum
    val complete = queries.count(query => query.plan.accelerated == query.plan.total)
    if (queries.isEmpty) Nil
    else {
      <li><strong>Operators accelerated: </strong>{Texts.share(accelerated, total)}</li> ++
        item("Queries accelerated completely", s"$complete of ${queries.length}") ++
        Texts.times(queries).toSeq.flatMap(item("Tasks' time", _))
    }
  }

  private def memory(group: ExecutorGroup): Seq[Node] =
    if (group.memory.isEmpty) Nil
    else item("Memory of workers in an executor", group.memory.mkString("; "))

  private def item(name: String, text: String): Seq[Node] =
    <li><strong>{name}: </strong>{text}</li>

  /** What executors reported, if it differs, one has a fault or there are GPUs. */
  private def executors(groups: Seq[ExecutorGroup]): Seq[Node] =
    if (groups.length < 2 && groups
        .map(_.report)
        .forall(each => each.fault.isEmpty && each.gpus.isEmpty)) Nil
    else {
      val headers =
        Seq("Executors", "Python", "pyarrow", "cuDF", "NVIDIA driver", "GPUs",
          "Memory of workers", "Why off")
      def row(group: ExecutorGroup): Seq[Node] = {
        val report = group.report
        val hidden = group.names.length - OverviewPage.MostNames
        val more = if (hidden > 0) s" and $hidden more" else ""
        <tr>
          <td>{group.names.take(OverviewPage.MostNames).mkString(", ") + more}</td>
          <td>{report.python}</td><td>{report.pyarrow}</td><td>{report.cudf}</td>
          <td>{report.driver}</td><td>{report.gpus.mkString(", ")}</td>
          <td>{group.memory.mkString("; ")}</td><td>{report.fault}</td>
        </tr>
      }
      <h4>Executors</h4> ++ UIUtils.listingTable(headers, row, groups)
    }

  private def settings(queries: Seq[ShownQuery]): Seq[Node] = {
    val application = tab.parent.store.environmentInfo().sparkProperties.toSeq
    val changed = ChangedSettings.of(application, queries)
    def row(setting: ChangedSetting): Seq[Node] =
      <tr>
        <td>{setting.key}</td><td>{setting.value}</td><td>{setting.default}</td>
        <td>{setting.scope}</td><td>{setting.meaning}</td>
      </tr>
    if (changed.isEmpty) Nil
    else {
      <h4>Settings that differ from their defaults</h4> ++ UIUtils.listingTable(
        Seq("Key", "Value", "Default", "Set in", "Meaning"),
        row,
        changed)
    }
  }

  private def reasons(request: CompiledSpark.HttpRequest, queries: Seq[ShownQuery]): Seq[Node] = {
    val ranked = BroadheadStatus.reasonsOf(queries)
    val shown = ranked.take(OverviewPage.MostReasons)
    def row(reason: RankedReason): Seq[Node] =
      <tr>
        <td>{reason.reason}</td>
        <td sorttable_customkey={reason.operators.toString}>{reason.operators}</td>
        <td sorttable_customkey={reason.queries.length.toString}>
          {reason.queries.length} {links(request, reason.queries)}
        </td>
        <td sorttable_customkey={reason.time.toString}>{UIUtils.formatDuration(reason.time)}</td>
      </tr>
    if (ranked.isEmpty) Nil
    else {
      val title =
        if (shown.length == ranked.length) "" else s" (${shown.length} of ${ranked.length})"
      <h4>Why operators and expressions stay with Spark{title}</h4> ++ UIUtils.listingTable(
        Seq("Reason", "Operators", "Queries", "Time of these queries"),
        row,
        shown,
        tooltipHeaders = Seq(None, None, None, Some(OverviewPage.TimeMeaning)))
    }
  }

  /** The last queries that have a reason. */
  private def links(request: CompiledSpark.HttpRequest, queries: Seq[Long]): Seq[Node] = {
    val shown = queries.takeRight(OverviewPage.MostLinks)
    val before = if (shown.length < queries.length) "… " else ""
    val links = shown.map { id =>
      <a href={OperatorsPage.address(tab, request, id)}>{id}</a>
    }
    <small>({before}{
      links.reduceOption[Node]((left, right) => <span>{left}, {right}</span>).toSeq
    })</small>
  }
}

private object OverviewPage {
  val MostReasons = 20
  val MostNames = 10
  val MostLinks = 5

  val TimeMeaning: String =
    "Durations of the queries in which the reason occurs, added up: not the time that it " +
      "costs, and a query counts under each of its reasons."
}
