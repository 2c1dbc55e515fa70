package org.apache.spark.sql.broadhead.ui

import scala.xml.{Elem, Node}

import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.ui.UIUtils

/** Texts and marks that the pages of the tab share. */
private[ui] object Texts {
  private val Longest = 300

  def count(number: Int, one: String, many: String): String =
    s"$number ${if (number == 1) one else many}"

  /** The beginning of a long text. */
  def shortened(text: String): String =
    if (text.length <= Longest) text else s"${text.take(Longest)}…"

  /** A mark in one of Bootstrap's colours; the classes are those of its versions 4 and 5. */
  def badge(text: String, colour: String): Elem =
    <span class={s"badge badge-$colour text-bg-$colour"}>{text}</span>

  /** How much of the tasks' time of queries passed in Broadhead, and in Spark's code for it. */
  def times(queries: Seq[ShownQuery]): Option[String] = {
    val known = queries.filter(_.times.exists(_.tasks > 0))
    Optional.when(known.nonEmpty) {
      val tasks = known.flatMap(_.times).map(_.tasks).sum
      val code = known.flatMap(_.times).map(_.sparkCode).sum
      val share = 100 * known.flatMap(_.accelerated).sum / tasks
      val ofCode =
        if (code == 0) ""
        else
          s"; ${UIUtils.formatDuration(code)} in Spark's code, which fragments asked for values"
      s"$share % of ${UIUtils.formatDuration(tasks)} in Broadhead$ofCode"
    }
  }

  /** How many operators are accelerated, as a bar and in numbers. */
  def share(accelerated: Int, total: Int): Seq[Node] = {
    val percent = if (total == 0) 0 else 100 * accelerated / total
    <div style="display: inline-block; width: 90px; height: 10px; background: #d9dde1; margin-right: 8px">
      <div style={s"width: $percent%; height: 10px; background: #2f9e44"}></div>
    </div> ++ <span>{s"$accelerated of $total"}</span>
  }
}
