package org.apache.spark.sql.broadhead.planning

import org.apache.spark.internal.Logging
import org.apache.spark.sql.broadhead.versions.Recoverable

/** Optional optimizer rules: a defect of one must not fail the user's query. */
private[broadhead] object Guarded extends Logging {

  /** The result of a rule; the unchanged plan if the rule fails. */
  def apply[T](rule: String, plan: T)(made: => T): T =
    try made
    catch {
      case Recoverable(defect) =>
        logWarning(
          s"Broadhead's planner rule $rule failed, the query is planned without it",
          defect)
        plan
    }
}
