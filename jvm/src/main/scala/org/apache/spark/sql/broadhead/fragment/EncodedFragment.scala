package org.apache.spark.sql.broadhead.fragment

import org.apache.spark.api.python.PythonFunction
import org.apache.spark.sql.broadhead.encoding.TypeNames
import org.apache.spark.sql.broadhead.evaluation.SparkEvaluation
import org.apache.spark.sql.broadhead.execution.{FallbackTimes, PoissonSample}
import org.apache.spark.sql.broadhead.gpu.ExecutionTarget
import org.apache.spark.sql.broadhead.versions.Collated
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Literal}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * A fragment ready to run.
 *
 * @param json the fragment in the wire format
 * @param nodes all nodes; a node's id is its index, the root's is 0
 * @param evaluations the expressions that Spark evaluates, by their numbers
 * @param metrics metric of a node by `(node id).(metric)`; `0.replays` counts tasks that Spark
 *   ran instead of the engine
 */
private[broadhead] case class EncodedFragment(
    json: String,
    root: FragmentNode,
    nodes: Seq[FragmentNode],
    evaluations: IndexedSeq[SparkEvaluation],
    metrics: Map[String, SQLMetric]) {

  /** The output columns of the root, in order. */
  def output: Seq[Attribute] = root.output

  /** Node id and node of each scan of files. */
  def scans: Seq[(Int, FileScanOperator)] =
    nodes.zipWithIndex.collect { case (scan: FileScanOperator, id) => id -> scan }

  /** The samples with replacement, by node id. */
  def samples: Map[Int, PoissonSample] =
    nodes.zipWithIndex.flatMap { case (node, id) => node.poisson.map(id -> _) }.toMap

  /** Whether it contains strings that are not compared by their bytes. */
  def collated: Boolean = nodes.exists { node =>
    node.output.exists(column => TypeNames.holdsCollation(column.dataType)) ||
    node.expressions.exists(_.exists {
      case made @ (_: Cast | Collated(_) | _: Literal) => TypeNames.holdsCollation(made.dataType)
      case _ => false
    })
  }

  /** The calls inside Python functions that fell back from the GPU, by node id. */
  def fallbackTimes: Map[Int, FallbackTimes] = nodes.zipWithIndex.collect {
    case (operator: CallsFunctions, id) => id -> operator.fallbackTimes
  }.toMap

  /** The user's Python functions of all nodes. */
  def pythonFunctions: Seq[PythonFunction] = nodes.collect { case operator: CallsFunctions =>
    operator.functions
  }.flatten

  /** Where the Python functions of each operator run on a host with a GPU. */
  lazy val functionTargets: Seq[ExecutionTarget] =
    nodes.collect { case operator: CallsFunctions => operator.target }

  /** Node id and leaf of each source, by the source's number. */
  def sources: Seq[(Int, FragmentSource)] =
    nodes.zipWithIndex.collect { case (source: FragmentSource, id) => id -> source }

  /**
   * The operators that the fragment replaced, for replay. Leaves over sources are
   * [[BroadheadReplaySource]]s, so that planner rules do not change the plans under them.
   */
  def original: SparkPlan = root.original
}
