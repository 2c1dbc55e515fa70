package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

/** Why operators stay with Spark, stored on them. */
private[broadhead] object PlanReasons {
  private val Tag = TreeNodeTag[Seq[String]]("broadhead.reasons")

  def of(plan: SparkPlan): Seq[String] = plan.getTagValue(Tag).getOrElse(Nil)

  def set(plan: SparkPlan, reasons: Seq[String]): Unit = plan.setTagValue(Tag, reasons)
}
