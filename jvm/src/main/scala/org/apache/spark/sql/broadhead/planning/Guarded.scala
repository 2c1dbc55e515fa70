package org.apache.spark.sql.broadhead.planning

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/** Rules that make queries faster: a defect of one must not fail the user's query. */
private[broadhead] object Guarded extends Logging {

  /** What a rule makes of a plan; the plan itself where the rule breaks. */
  def apply[T](rule: String, plan: T)(made: => T): T =
    try made
    catch {
      case defect @ (NonFatal(_) | _: LinkageError) =>
        logWarning(s"Broadhead's planner rule $rule failed, the query is planned without it", defect)
        plan
    }
}
