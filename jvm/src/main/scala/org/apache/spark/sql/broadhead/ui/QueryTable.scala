package org.apache.spark.sql.broadhead.ui

import scala.xml.Node

import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.ui.UIUtils

/** The queries of an application, newest first. */
private[ui] object QueryTable {
  private val MostQueries = 200
  private val All = "all"

  private val headers = Seq("ID", "Description", "Submitted", "Duration", "Status",
    "Operators accelerated", "Tasks' time in Broadhead", "Why others stay with Spark")

  def of(
      tab: BroadheadTab,
      request: CompiledSpark.HttpRequest,
      queries: Seq[ShownQuery]): Seq[Node] = {
    val shown = if (request.getParameter(All) == null) queries.take(MostQueries) else queries
    val hidden = queries.length - shown.length
    <h4>Queries ({queries.length})</h4> ++
      UIUtils.listingTable[ShownQuery](headers, row(tab, request, _), shown) ++
      (if (hidden == 0) Nil
       else
         <p><a href={tab.address(request, s"broadhead/?$All")}>Show {
           hidden
         } older ones too</a></p>)
  }

  private def row(
      tab: BroadheadTab,
      request: CompiledSpark.HttpRequest,
      query: ShownQuery): Seq[Node] = {
    val plan = query.plan
    val page = tab.address(request, s"SQL/execution/?id=${query.id}")
    val found = plan.nodes.flatMap(BroadheadStatus.reasonsOf).distinct
    val told = plan.reasons ++ found.filterNot(plan.reasons.contains)
    val reasons = told.headOption.map(Texts.shortened).getOrElse("")
    val more = told.length - 1
    val share =
      for (times <- query.times if times.tasks > 0; own <- query.accelerated)
        yield 100 * own / times.tasks
    <tr>
      <td sorttable_customkey={query.id.toString}><a href={page}>{query.id}</a></td>
      <td style="word-break: break-word"><a href={page}>{
      Texts.shortened(query.description)
    }</a></td>
      <td sorttable_customkey={query.submitted.toString}>{
      UIUtils.formatDate(query.submitted)
    }</td>
      <td sorttable_customkey={query.duration.getOrElse(0L).toString}>
        {query.duration.fold("")(UIUtils.formatDuration)}
      </td>
      <td>{query.status}</td>
      <td style="white-space: nowrap" sorttable_customkey={
      (1000L * plan.accelerated / plan.total).toString
    }>
        <a href={OperatorsPage.address(tab, request, query.id)}>{
      Texts.share(plan.accelerated, plan.total)
    }</a>
      </td>
      <td sorttable_customkey={share.getOrElse(-1L).toString}>{
      share.fold("")(percent => s"$percent %")
    }</td>
      <td>{
      if (more > 0) s"$reasons; and ${Texts.count(more, "other reason", "other reasons")}"
      else reasons
    }</td>
    </tr>
  }
}
