package org.apache.spark.sql.broadhead.pythonfunctions

import java.util.{Base64, NoSuchElementException}

import scala.collection.mutable.ArrayBuffer

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Writes calls of Python functions in the wire format. Arguments that are equal are computed and
 * sent once.
 */
private[broadhead] class PythonCallEncoder(
    encoder: ExpressionEncoder,
    input: Seq[Attribute],
    conf: SQLConf) {

  /**
   * The fields of an operator whose functions take expressions over its input.
   *
   * @param evalType PySpark's number for the kind of functions
   */
  def encode(calls: Seq[PythonCall], evalType: Int): Seq[(String, JsonNode)] = {
    val inputs = ArrayBuffer.empty[Expression]
    def position(value: Expression): Int = inputs.indexWhere(_.semanticEquals(value)) match {
      case -1 =>
        inputs += value
        inputs.length - 1
      case found => found
    }
    // A function that becomes an expression may read the session's local time.
    encoder.inTimeZone(conf.sessionLocalTimeZone)
    val encoded = calls.map { call =>
      call -> call.arguments.map(argument => argument.name -> position(argument.value))
    }
    withInputs(encoded, inputs.toSeq.map(value => "" -> value), evalType)
  }

  /** The fields of an operator whose only function takes rows of these columns. */
  def encodeRows(call: PythonCall, columns: Seq[Attribute]): Seq[(String, JsonNode)] =
    withInputs(
      Seq(call -> columns.indices.map(None -> _)),
      columns.map(column => column.name -> column),
      call.evalType)

  private def withInputs(
      calls: Seq[(PythonCall, Seq[(Option[String], Int)])],
      inputs: Seq[(String, Expression)],
      evalType: Int): Seq[(String, JsonNode)] = Seq(
    "evalType" -> Json.number(evalType.toLong),
    "inputs" -> Json.array(inputs.map { case (_, value) => encoder.encode(value, input) }),
    "inputNames" -> Json.texts(inputs.map(_._1)),
    "inputSchema" -> Json.text(schemaOf(inputs).json),
    "calls" -> Json.array(calls.map { case (call, arguments) => encodeCall(call, arguments) }),
    "profiler" -> CompiledSpark.pythonProfiler(conf).map(Json.text).getOrElse(Json.Null),
    "conf" -> Json.obj(PythonCallEncoder.settings(conf).map { case (key, value) =>
      key -> Json.text(value)
    }: _*))

  /** Columns without names of their own are numbered, as Spark does. */
  private def schemaOf(inputs: Seq[(String, Expression)]): StructType =
    StructType(inputs.zipWithIndex.map { case ((name, value), index) =>
      StructField(if (name.isEmpty) s"_$index" else name, value.dataType)
    })

  private def encodeCall(call: PythonCall, arguments: Seq[(Option[String], Int)]): ObjectNode =
    Json.obj(
      "name" -> Json.text(call.name),
      "commands" -> Json.texts(call.functions.map { function =>
        Base64.getEncoder.encodeToString(function.command.toArray)
      }),
      "arguments" -> Json.array(arguments.map { case (name, position) =>
        Json.obj(
          "name" -> name.map(Json.text).getOrElse(Json.Null),
          "input" -> Json.number(position.toLong))
      }),
      "type" -> Json.dataType(call.dataType),
      "deterministic" -> Json.bool(call.deterministic),
      "resultId" -> Json.number(call.resultId))
}

private[broadhead] object PythonCallEncoder {

  /** Spark's settings that PySpark's worker receives, in any of the supported versions. */
  private val Keys = Seq("spark.sql.session.timeZone",
    "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName",
    "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled",
    "spark.sql.legacy.execution.pythonUDTF.pandas.conversion.enabled",
    "spark.sql.execution.pandas.convertToArrowArraySafely",
    "spark.sql.execution.pandas.structHandlingMode",
    "spark.sql.execution.pandas.inferPandasDictAsMap",
    "spark.sql.execution.pythonUDF.pandas.intToDecimalCoercionEnabled",
    "spark.sql.execution.pythonUDF.arrow.concurrency.level",
    "spark.sql.execution.pyspark.binaryAsBytes", "spark.sql.execution.arrow.useLargeVarTypes",
    "spark.sql.execution.arrow.maxRecordsPerBatch", "spark.sql.execution.arrow.maxBytesPerBatch",
    "spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype")

  private def settings(conf: SQLConf): Seq[(String, String)] = Keys.flatMap { key =>
    val value =
      try Option(conf.getConfString(key))
      catch { case _: NoSuchElementException => None }
    // An optional setting without a value has this text as its default.
    value.filterNot(_ == "<undefined>").map(key -> _)
  }
}
