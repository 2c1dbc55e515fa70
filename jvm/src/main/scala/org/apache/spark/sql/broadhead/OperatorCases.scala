package org.apache.spark.sql.broadhead

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.{HashAggregateExec, SortAggregateExec}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/** How an operator of Spark becomes one of ours. */
private[broadhead] trait OperatorCase[P <: SparkPlan] {

  /** Spark's name of the operator, as in `spark.broadhead.operator.(name).enabled`. */
  def name: String

  /** Why the engine cannot run the operator: sentences, none where it can. */
  def reasons(plan: P, support: ExpressionSupport): Seq[String]

  /** Our operator, over a child that is part of the fragment. */
  def convert(plan: P, child: => SparkPlan): SparkPlan
}

/** An operator of Spark with its case. */
private[broadhead] case class Candidate[P <: SparkPlan](plan: P, operator: OperatorCase[P]) {
  def name: String = operator.name

  def reasons(support: ExpressionSupport): Seq[String] = operator.reasons(plan, support)

  def convert(child: => SparkPlan): SparkPlan = operator.convert(plan, child)
}

/** The operators of Spark that the engine has. */
private[broadhead] object OperatorCases {
  private val hashAggregate = new AggregateCase[HashAggregateExec]("HashAggregate")
  private val sortAggregate = new AggregateCase[SortAggregateExec]("SortAggregate")

  def find(plan: SparkPlan): Option[Candidate[_ <: SparkPlan]] = plan match {
    case scan: FileSourceScanExec
        if scan.relation.fileFormat.getClass == classOf[ParquetFileFormat] =>
      Some(Candidate(scan, FileSourceScanCase))
    case filter: FilterExec => Some(Candidate(filter, FilterCase))
    case project: ProjectExec => Some(Candidate(project, ProjectCase))
    case aggregate: HashAggregateExec => Some(Candidate(aggregate, hashAggregate))
    case aggregate: SortAggregateExec => Some(Candidate(aggregate, sortAggregate))
    case _ => None
  }
}
