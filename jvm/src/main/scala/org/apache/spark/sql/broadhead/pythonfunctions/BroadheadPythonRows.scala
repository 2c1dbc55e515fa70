package org.apache.spark.sql.broadhead.pythonfunctions

import java.util.Base64

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.api.python.PythonFunction
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, ExpressionSupport, Json, Reasons}
import org.apache.spark.sql.broadhead.execution.PythonEnvironment
import org.apache.spark.sql.broadhead.fragment.{BroadheadRowSource, CallsFunctions, FragmentOperator, OperatorCase, PartitionDependent}
import org.apache.spark.sql.broadhead.gpu.ExecutionTarget
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{RDDScanExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.MapType

/**
 * Spark's `RDDScanExec` of rows that Python has made, in the engine: the worker calls the functions
 * of the RDD and makes columns of their rows. In Spark a worker pickles them for the JVM.
 */
case class BroadheadPythonRows(planned: RDDScanExec, function: PythonFunction, child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator
    with CallsFunctions
    with PartitionDependent {

  override def operatorName: String = "PythonRows"

  override def original: RDDScanExec = planned

  override def output: Seq[Attribute] = planned.output

  override def functions: Seq[PythonFunction] = Seq(function)

  override def target: ExecutionTarget = ExecutionTarget.Host

  /** The user has chosen the number of partitions of the RDD. */
  override def fixesTasks: Boolean = true

  protected override def ownMetrics: Map[String, SQLMetric] = Map(
    "pythonTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time in Python functions"))

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "command" -> Json.text(Base64.getEncoder.encodeToString(function.command.toArray)))

  override def simpleString(maxFields: Int): String =
    nodeName + planned.simpleString(maxFields).stripPrefix("Scan ExistingRDD")

  override def verboseStringWithOperatorId(): String = describeAs(original)

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadPythonRows =
    copy(child = newChild)
}

private[broadhead] object PythonRowsCase extends OperatorCase[RDDScanExec] {
  private val Profilers = Seq("spark.python.profile", "spark.python.profile.memory")

  override def name: String = "ExistingRDD"

  override def callsPython: Boolean = true

  override def fixesTasks(plan: RDDScanExec): Boolean = true

  override def reasons(scan: RDDScanExec, support: ExpressionSupport): Seq[String] = {
    val rows = rowsOf(scan)
    val conf = scan.session.sparkContext.getConf
    scan.output.flatMap { column =>
      PythonCall.typeReasons(column.dataType, s"column ${column.name}", support) ++
        Reasons.when(column.dataType.existsRecursively(_.isInstanceOf[MapType]))(
          s"column ${column.name} has a dict, whose entries Spark gives another order")
    } ++
      PythonEnvironment.reasons(Seq(rows.function)) ++
      Reasons.when(scan.output.isEmpty)("it has no columns") ++
      Reasons.when(rows.isBarrier)("its tasks are started together, by Spark") ++
      Profilers
        .filter(conf.getBoolean(_, defaultValue = false))
        .map(key => s"$key is true, and Spark's worker makes the profile")
  }

  override def convert(scan: RDDScanExec, children: Seq[SparkPlan]): SparkPlan = {
    val rows = rowsOf(scan)
    BroadheadPythonRows(scan, rows.function, BroadheadRowSource(PythonElements(rows.input)))
  }

  private def rowsOf(scan: RDDScanExec): PickledRows = PickledRows
    .of(scan)
    .getOrElse(throw new IllegalArgumentException(s"${scan.nodeName} has no rows of Python"))
}
