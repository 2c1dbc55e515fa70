package org.apache.spark.sql.broadhead.application

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import io.broadhead.BuildInfo

import org.apache.spark.sql.broadhead.encoding.Json

/** Versions of the libraries that fragments use; empty where there is none. */
private[broadhead] case class LibraryVersions(pyarrow: String, cudf: String, driver: String)

private[broadhead] object LibraryVersions {
  val Unknown: LibraryVersions = LibraryVersions("", "", "")
}

/**
 * The probe's result for an interpreter.
 *
 * @param interpreter the command, as Spark starts it
 * @param python its version, empty if it could not be run
 * @param gpus those of the executor that it can use
 * @param gpuProblem what is wrong with an address of a GPU, with the remedy
 * @param libraries those of them that it could report
 * @param fault why fragments cannot run with it, with the remedy
 */
private[broadhead] case class PythonReport(
    interpreter: String,
    python: String,
    gpus: Seq[Gpu],
    gpuProblem: Option[String],
    libraries: LibraryVersions,
    fault: Option[String]) {

  /** The first two numbers of the version, which Spark's workers compare. */
  def pythonMinor: String = python.split('.').take(2).mkString(".")

  def toJson: JsonNode = Json.obj(
    "interpreter" -> Json.text(interpreter),
    "python" -> Json.text(python),
    "gpus" -> Json.array(gpus.map(_.toJson)),
    "gpu_problem" -> gpuProblem.fold(Json.Null)(Json.text),
    "pyarrow" -> Json.text(libraries.pyarrow),
    "cudf" -> Json.text(libraries.cudf),
    "driver" -> Json.text(libraries.driver),
    "fault" -> fault.fold(Json.Null)(Json.text))
}

private[broadhead] object PythonReport {
  private val MinimumPython = (3, 11)
  private val MinimumPyArrow = 23

  def fromJson(node: JsonNode): PythonReport = PythonReport(
    node.path("interpreter").asText,
    node.path("python").asText,
    gpusOf(node),
    gpuProblemOf(node),
    librariesOf(node),
    Option(node.path("fault").textValue))

  /** The report of an interpreter that did not answer. */
  def failed(interpreter: String, problem: String): PythonReport =
    PythonReport(
      interpreter,
      "",
      Nil,
      None,
      LibraryVersions.Unknown,
      Some(
        s"the Python of the executors, '$interpreter', " +
          s"$problem; $choose"))

  /** The report from the output of the probe's script. */
  def fromProbe(interpreter: String, node: JsonNode): PythonReport = {
    val fault = pythonFault(node)
      .orElse(libraryFault(node, "pyarrow", s"pyarrow>=$MinimumPyArrow"))
      .orElse(libraryFault(node, "numpy", "numpy"))
      .orElse(versionFault(node))
      .map { case (problem, remedy) =>
        s"the Python of the executors, '$interpreter' (${node.path("executable").asText}), " +
          s"$problem; $remedy"
      }
    PythonReport(
      interpreter,
      node.path("python").asText,
      gpusOf(node),
      gpuProblemOf(node),
      librariesOf(node),
      fault)
  }

  private def librariesOf(node: JsonNode): LibraryVersions = {
    def version(name: String): String = Option(node.path(name).textValue).getOrElse("")
    LibraryVersions(version("pyarrow"), version("cudf"), version("driver"))
  }

  private type Fault = Option[(String, String)]

  private val choose = "set PYSPARK_PYTHON or spark.pyspark.python to a Python " +
    s"${MinimumPython._1}.${MinimumPython._2} or newer that has pyarrow"

  private def pythonFault(node: JsonNode): Fault = {
    val version = node.path("python").asText
    val numbers = version.split('.').take(2).flatMap(number => Try(number.toInt).toOption)
    val tooOld = numbers.length < 2 ||
      Ordering[(Int, Int)].lt((numbers(0), numbers(1)), MinimumPython)
    if (tooOld) Some((s"is version $version", choose)) else None
  }

  private def libraryFault(node: JsonNode, name: String, requirement: String): Fault = {
    val version = Option(node.path(name).textValue)
    val executable = node.path("executable").asText
    val problem = Option(node.path("problems").path(name).textValue).getOrElse("not found")
    // As in the environments of Spark 3.5, which asks for numpy 1: pyarrow 26 refuses it.
    val fitting = if (problem.contains("NumPy 2")) s"$requirement,<26" else requirement
    val remedy = s"run: $executable -m pip install '$fitting', or $choose"
    version match {
      case None => Some((s"cannot import $name ($problem)", remedy))
      case Some(found) if name == "pyarrow" && major(found) < MinimumPyArrow =>
        Some((s"has pyarrow $found", remedy))
      case _ => None
    }
  }

  private def major(version: String): Int =
    Try(version.takeWhile(_.isDigit).toInt).getOrElse(0)

  private def versionFault(node: JsonNode): Fault =
    Option(node.path("broadhead").textValue).filter(_ != BuildInfo.version).map { installed =>
      (
        s"has Broadhead $installed, but the jar ${BuildInfo.jar} is version " +
          s"${BuildInfo.version}",
        "install the same version there, or remove that package")
    }

  private def gpusOf(node: JsonNode): Seq[Gpu] =
    node.path("gpus").elements().asScala.map(Gpu.fromJson).toList

  private def gpuProblemOf(node: JsonNode): Option[String] =
    Option(node.path("gpu_problem").textValue)
}
