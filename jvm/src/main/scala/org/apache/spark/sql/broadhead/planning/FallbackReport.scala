package org.apache.spark.sql.broadhead.planning

import java.util.concurrent.ConcurrentHashMap

import io.broadhead.Settings

import org.apache.spark.internal.Logging

/** An operator stays with Spark although `spark.broadhead.strict` is true. */
class FallbackException(message: String) extends UnsupportedOperationException(message)

/** Reports operators that stay with Spark, by `spark.broadhead.explain` and `.strict`. */
private[broadhead] object FallbackReport extends Logging {
  private val MaxRemembered = 10000
  private val logged = ConcurrentHashMap.newKeySet[String]()

  def report(planned: PlannedFragments, settings: Settings): Unit = {
    if (settings.strict && planned.unsupported.nonEmpty) {
      val list = planned.unsupported.map { case (name, reasons) =>
        s"$name: ${reasons.mkString("; ")}"
      }
      throw new FallbackException(
        "spark.broadhead.strict is true and these operators stay with Spark: " +
          list.distinct.mkString(". "))
    }
    settings.explain match {
      case "fallbacks" => warnOnce(BroadheadExplain.nodes(planned.plan))
      case "all" => logWarning(BroadheadExplain.text(planned.plan))
      case _ =>
    }
  }

  private def isNew(message: String): Boolean = logged.size < MaxRemembered && logged.add(message)

  private def warnOnce(nodes: Seq[ExplainedNode]): Unit =
    for (node <- nodes; reason <- node.reasons) {
      val message = s"${node.name} stays with Spark: $reason"
      if (isNew(message)) logWarning(message)
    }
}
