package org.apache.spark.sql.broadhead.versions

import org.apache.spark.sql.execution.SparkPlan

/** What is a section of `explain` in Spark 4; Spark 3.5 has no sections. */
trait ExplainSection {
  def title: String
  def generateExtendedInfo(plan: SparkPlan): String
}
