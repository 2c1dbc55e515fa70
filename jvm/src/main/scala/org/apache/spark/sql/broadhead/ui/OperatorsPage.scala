package org.apache.spark.sql.broadhead.ui

import scala.util.Try
import scala.xml.Node

import org.apache.spark.sql.broadhead.application.PlanEventNode
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.ui.{UIUtils, WebUIPage}

/** The operators of one query as a tree, with the reasons of those that stay with Spark. */
private[ui] class OperatorsPage(tab: BroadheadTab) extends WebUIPage(OperatorsPage.Name) {

  override def render(request: CompiledSpark.HttpRequest): Seq[Node] = {
    val number = request.getParameter(OperatorsPage.Id)
    val query = Try(number.toLong).toOption.flatMap(tab.status.query)
    val title = s"Broadhead: operators of query ${Option(number).getOrElse("")}"
    tab.page(request, title, query.fold(missing(request))(content(request, _)))
  }

  private def missing(request: CompiledSpark.HttpRequest): Seq[Node] =
    <p>The UI has no plan of this query: it does not exist, it is a command without operators, or
      it is older than the queries that the UI keeps (spark.sql.ui.retainedExecutions).
      <a href={tab.address(request, "broadhead/")}>All queries</a></p>

  private def content(request: CompiledSpark.HttpRequest, query: ShownQuery): Seq[Node] =
    <ul class="list-unstyled">
      <li><strong>Query: </strong>{query.description}</li>
      <li><strong>Status: </strong>{query.status}{
      query.duration.fold("")(time => s" in ${UIUtils.formatDuration(time)}")
    }</li>
      <li><strong>Operators accelerated: </strong>{
      Texts.share(query.plan.accelerated, query.plan.total)
    }</li>
      {Texts.times(Seq(query)).map(text => <li><strong>Tasks' time: </strong>{text}</li>).toSeq}
      <li>
        <a href={tab.address(request, s"SQL/execution/?id=${query.id}")}>Plan and metrics</a>,
        <a href={tab.address(request, "broadhead/")}>all queries</a>
      </li>
    </ul> ++ UIUtils.listingTable[PlanEventNode](
      Seq("Operator", "Runs in", "Why it stays with Spark; how functions are computed"),
      row,
      query.plan.nodes,
      sortable = false)

  private def row(node: PlanEventNode): Seq[Node] =
    <tr>
      <td style={s"padding-left: ${OperatorsPage.Indent * (node.depth + 1)}px"}>{node.name}</td>
      <td>{
      if (!node.accelerated) Texts.badge("Spark", "secondary")
      else if (node.functions.exists(PlanEventNode.isBySpark))
        Texts.badge("Broadhead, with Spark's code", "warning")
      else Texts.badge("Broadhead", "success")
    }</td>
      <td>{(node.reasons ++ node.functions).mkString("; ")}</td>
    </tr>
}

private[ui] object OperatorsPage {
  private val Name = "operators"
  private val Id = "id"
  private val Indent = 16

  def address(tab: BroadheadTab, request: CompiledSpark.HttpRequest, id: Long): String =
    tab.address(request, s"broadhead/$Name/?$Id=$id")
}
