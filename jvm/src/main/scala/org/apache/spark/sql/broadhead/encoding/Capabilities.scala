package org.apache.spark.sql.broadhead.encoding

import java.nio.charset.StandardCharsets

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.JsonNode

/** The allowed types of one argument of a function. */
private[broadhead] sealed trait ArgumentTypes

private[broadhead] object ArgumentTypes {
  case class OneOf(names: Set[String]) extends ArgumentTypes
  case object SameAsBefore extends ArgumentTypes
}

/**
 * One signature of a function.
 *
 * @param variadic whether the last argument may occur any number of times, or not at all
 * @param literal positions of arguments that must be literals
 * @param values the allowed literals of the argument at a position
 * @param level how equal the results are to Spark's
 */
private[broadhead] case class Signature(
    arguments: IndexedSeq[ArgumentTypes],
    returns: Set[String],
    variadic: Boolean,
    literal: Set[Int],
    values: Map[Int, Set[JsonNode]],
    level: String)

/**
 * A function of the engine.
 *
 * @param name the function's name in SQL
 * @param fields allowed values of a constructor field; None: any value
 * @param lag nanoseconds a row that the engine takes longer than Spark on the CPU, if it is much
 * @param onHost whether it is computed in the host's memory in tasks on a GPU, too
 * @param filter whether an aggregate may have a FILTER clause
 * @param frames whether an aggregate may have any window frame, or only whole partitions
 * @param wholeGroups whether an aggregate reads all rows of a group in one phase
 * @param wholeTasks whether an aggregate's result depends on what Spark's phases read together
 */
private[broadhead] case class FunctionCapability(
    name: String,
    signatures: Seq[Signature],
    fields: Map[String, Option[Set[JsonNode]]],
    lag: Int,
    onHost: Boolean,
    filter: Boolean,
    frames: Boolean,
    wholeGroups: Boolean,
    wholeTasks: Boolean)

/**
 * The capabilities of the engine, from the Python registries.
 *
 * @param types names of the types that the engine computes with
 * @param passThrough names of the types that it can only pass on
 * @param expressions functions by Spark's class
 * @param aggregates aggregate functions by Spark's class
 * @param operators how equal the rows of operators are to Spark's, by Spark's name
 */
private[broadhead] case class Capabilities(
    version: String,
    types: Set[String],
    passThrough: Set[String],
    expressions: Map[String, FunctionCapability],
    aggregates: Map[String, FunctionCapability],
    windows: Map[String, FunctionCapability],
    operators: Map[String, String])

private[broadhead] object Capabilities {

  /** The level of results that are Spark's to the last byte: see docs/compatibility.md. */
  val Exact = "exact"

  /** As 4.1; versions of one digit each compare as texts. */
  private val SparkVersion = org.apache.spark.SPARK_VERSION.split('.').take(2).mkString(".")

  private val Resource = "broadhead/capabilities.json"

  /** The capabilities of the engine in the jar, for the Spark that runs. */
  lazy val ofJar: Capabilities = {
    val stream = Option(getClass.getClassLoader.getResourceAsStream(Resource)).getOrElse(
      throw new IllegalStateException(
        s"the Broadhead jar has no $Resource; build it again with `make jar`"))
    parse(Using.resource(stream)(in => new String(in.readAllBytes(), StandardCharsets.UTF_8)))
  }

  def parse(text: String): Capabilities = {
    val root = Json.parse(text)
    Capabilities(
      root.path("version").asText,
      strings(root.path("types")),
      strings(root.path("passThrough")),
      functions(root.path("expressions")),
      functions(root.path("aggregates")),
      functions(root.path("windows")),
      entries(root.path("operators")).map { case (name, level) => name -> level.asText })
  }

  private def functions(node: JsonNode): Map[String, FunctionCapability] =
    entries(node)
      .map { case (sparkClass, function) => sparkClass -> capability(function) }
      .filter { case (_, function) => function.signatures.nonEmpty }

  private def capability(node: JsonNode): FunctionCapability = FunctionCapability(
    node.path("name").asText,
    elements(node.path("signatures"))
      .filter(node => node.path("since").asText <= SparkVersion)
      .map(signature),
    entries(node.path("fields")).map { case (field, allowed) =>
      field -> (if (allowed.isArray) Some(elements(allowed).toSet) else None)
    },
    node.path("lag").asInt(0),
    node.path("onHost").asBoolean(false),
    node.path("filter").asBoolean(false),
    node.path("frames").asBoolean(true),
    node.path("wholeGroups").asBoolean(false),
    node.path("wholeTasks").asBoolean(false))

  private def signature(node: JsonNode): Signature = Signature(
    elements(node.path("args")).map { argument =>
      if (argument.isArray) ArgumentTypes.OneOf(strings(argument))
      else ArgumentTypes.SameAsBefore
    }.toIndexedSeq,
    strings(node.path("returns")),
    node.path("variadic").asBoolean(false),
    elements(node.path("literal")).map(_.asInt).toSet,
    entries(node.path("values")).map { case (position, allowed) =>
      position.toInt -> elements(allowed).toSet
    },
    node.path("level").asText(Exact))

  private def elements(node: JsonNode): Seq[JsonNode] = node.elements().asScala.toList

  private def strings(node: JsonNode): Set[String] = elements(node).map(_.asText).toSet

  private def entries(node: JsonNode): Map[String, JsonNode] =
    node.fieldNames().asScala.map(name => name -> node.get(name)).toMap
}
