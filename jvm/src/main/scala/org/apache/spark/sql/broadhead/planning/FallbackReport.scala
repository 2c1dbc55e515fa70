package org.apache.spark.sql.broadhead.planning

import java.util.concurrent.ConcurrentHashMap

import io.broadhead.Settings

import org.apache.spark.internal.Logging
import org.apache.spark.SparkException
import org.apache.spark.sql.broadhead.application.{BroadheadExplain, ExplainedNode}
import org.apache.spark.sql.execution.SparkPlan

/** An operator stays with Spark although `spark.broadhead.strict` is true. */
class FallbackException(message: String) extends UnsupportedOperationException(message)

/** Reports operators that stay with Spark, by `spark.broadhead.explain` and `.strict`. */
private[broadhead] object FallbackReport extends Logging {
  private val MaxRemembered = 10000
  private val logged = ConcurrentHashMap.newKeySet[String]()

  def report(planned: PlannedFragments, settings: Settings): Unit = {
    if (settings.strict && planned.lacks.nonEmpty) {
      val list = planned.lacks.map { case (name, reasons) => s"$name: ${reasons.mkString("; ")}" }
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

  /** Reports a fragment that Spark runs completely, because of a defect. */
  def reportDefect(node: SparkPlan, defect: Throwable, settings: Settings): Unit = {
    val reason = Option(defect.getMessage).getOrElse(defect.getClass.getName)
    if (settings.strict) {
      throw new SparkException(
        s"Broadhead could not send the fragment of ${node.nodeName} to the engine, and " +
          s"spark.broadhead.strict is true: $reason",
        defect)
    }
    val message =
      s"Broadhead could not send the fragment of ${node.nodeName} to the engine, Spark's own " +
        s"operators run instead: $reason"
    if (isNew(message)) logWarning(message, defect)
  }

  private def isNew(message: String): Boolean = logged.size < MaxRemembered && logged.add(message)

  private def warnOnce(nodes: Seq[ExplainedNode]): Unit =
    for (node <- nodes; reason <- node.reasons) {
      val message = s"${node.name} stays with Spark: $reason"
      if (isNew(message)) logWarning(message)
    }
}
