package org.apache.spark.sql.broadhead.encoding

import scala.collection.mutable

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.broadhead.evaluation.{AggregateEvaluation, ExpressionEvaluation, SparkEvaluation}
import org.apache.spark.sql.broadhead.versions.{Collated, VersionedSpark}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.execution.{InSubqueryExec, ScalarSubquery}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Writes expressions in the wire format: class, children, type and every constructor field.
 *
 * Only for expressions that [[ExpressionSupport]] has accepted; others raise an error.
 *
 * @param firstEvaluation the number of the first expression that Spark evaluates
 */
class ExpressionEncoder private[broadhead] (
    support: ExpressionSupport,
    firstEvaluation: Int = 0) {
  private val timeZoneIds = mutable.LinkedHashSet.empty[String]
  private val evaluated = mutable.LinkedHashMap.empty[Any, SparkEvaluation]
  private val counted = mutable.ArrayBuffer.empty[SQLMetric]

  /** Time zones of the encoded expressions. */
  def timeZones: Seq[String] = timeZoneIds.toSeq

  /** The expressions and aggregates that Spark computes, by their numbers. */
  private[broadhead] def evaluations: IndexedSeq[SparkEvaluation] = evaluated.values.toIndexedSeq

  /** The metrics of the encoded counters, by their numbers. */
  private[broadhead] def counters: Seq[SQLMetric] = counted.toList

  /** The expression over rows of the given attributes. */
  def encode(expression: Expression, input: AttributeSeq): ObjectNode =
    ExpressionEncoder.strip(expression) match {
      case attribute: Attribute =>
        val ordinal = input.indexOf(attribute.exprId)
        if (ordinal < 0) {
          val names = input.attrs.map(_.sql).mkString(", ")
          throw new IllegalStateException(s"column ${attribute.sql} is not among ($names)")
        }
        reference(ordinal, input(ordinal))
      case bound: BoundReference => reference(bound.ordinal, bound)
      case literal: Literal => encodeLiteral(literal)
      case value if ExpressionEncoder.isSubqueryValue(value) =>
        encodeLiteral(Literal(value.eval(InternalRow.empty), value.dataType))
      case in: InSubqueryExec => encode(ExpressionEncoder.membership(in), input)
      case RowCounter(counter) => encodeCounter(counter, input)
      case other if support.isBySpark(other) =>
        encodeEvaluation(ExpressionEvaluation.of(other), input)
      case other =>
        val children = FunctionCalls.argumentsOf(other).map(encode(_, input))
        Json.obj(
          "class" -> Json.text(FunctionCalls.nameOf(other)),
          "type" -> Json.dataType(other.dataType),
          "nullable" -> Json.bool(other.nullable),
          "fields" -> encodeFields(other),
          "children" -> Json.array(children))
    }

  /** Each has a number of its own, so that the engine evaluates each for all of its rows. */
  private def encodeCounter(counter: RowCounter, input: AttributeSeq): ObjectNode = {
    counted += counter.metric
    Json.obj(
      "class" -> Json.text(RowCounter.Class),
      "type" -> Json.dataType(counter.value.dataType),
      "nullable" -> Json.bool(counter.value.nullable),
      "fields" -> Json.obj("number" -> Json.number(counted.length - 1L)),
      "children" -> Json.array((counter.value +: counter.condition.toSeq).map(encode(_, input))))
  }

  /** A call of Spark's own code. */
  private def encodeEvaluation(
      evaluation: ExpressionEvaluation,
      input: AttributeSeq): ObjectNode = {
    val expression = evaluation.expression
    Json.obj(
      "class" -> Json.text(ExpressionEncoder.SparkExpression),
      "type" -> Json.dataType(expression.dataType),
      "nullable" -> Json.bool(expression.nullable),
      "fields" -> Json.obj("number" -> Json.number(numberOf(evaluation))),
      "children" -> Json.array(evaluation.inputs.map(encode(_, input))))
  }

  private def numberOf(evaluation: SparkEvaluation): Long = {
    evaluated.getOrElseUpdate(evaluation.key, evaluation)
    firstEvaluation.toLong + evaluated.keys.toSeq.indexOf(evaluation.key)
  }

  /** The aggregate's class, fields, arguments and filter, if Spark's own code computes it. */
  private[broadhead] def encodeBySpark(
      aggregate: AggregateExpression,
      input: AttributeSeq): Option[Seq[(String, JsonNode)]] =
    AggregateEvaluation.of(aggregate).filter(_ => support.isBySpark(aggregate)).map {
      evaluation =>
        val read = if (AggregateEvaluation.updates(aggregate.mode)) evaluation.inputs else Nil
        Seq(
          "class" -> Json.text(ExpressionEncoder.SparkAggregate),
          "fields" -> Json.obj("number" -> Json.number(numberOf(evaluation))),
          "children" -> Json.array(read.map(encode(_, input))),
          "filter" -> Json.Null)
    }

  /** The constructor fields of an expression, which may be an aggregate function. */
  def encodeFields(expression: Expression): ObjectNode = {
    val fields = ExpressionFields.of(expression)
    if (fields.unknown.nonEmpty) {
      throw new IllegalStateException(
        s"${expression.prettyName} has fields that the wire format cannot hold: " +
          fields.unknown.mkString(", "))
    }
    fields.values.foreach {
      case (name, zone) if TimeZoneFields.Names(name) && zone.isTextual =>
        timeZoneIds += zone.asText
      case _ =>
    }
    Json.obj(fields.values: _*)
  }

  /** A time zone by its id, whose rules are added to the fragment. */
  def inTimeZone(id: String): String = {
    timeZoneIds += id
    id
  }

  private def reference(ordinal: Int, expression: Expression): ObjectNode = Json.obj(
    "class" -> Json.text("BoundReference"),
    "ordinal" -> Json.number(ordinal.toLong),
    "type" -> Json.dataType(expression.dataType),
    "nullable" -> Json.bool(expression.nullable))

  private def encodeLiteral(literal: Literal): ObjectNode = {
    val value: JsonNode = LiteralValues
      .encode(literal.value, literal.dataType)
      .getOrElse(
        throw new IllegalStateException(
          s"a literal of type ${literal.dataType.sql} cannot be sent to the engine"))
    Json.obj(
      "class" -> Json.text("Literal"),
      "type" -> Json.dataType(literal.dataType),
      "value" -> value)
  }
}

private[broadhead] object ExpressionEncoder {

  /** The class of the wire format for an expression that Spark evaluates. */
  val SparkExpression = "SparkExpression"

  /** The class of the wire format for an aggregate that Spark computes. */
  val SparkAggregate = "SparkAggregate"

  /**
   * Whether an expression is the value of a scalar subquery, or a field of it: Spark merges
   * similar subqueries into one that returns a struct.
   */
  def isSubqueryValue(expression: Expression): Boolean = expression match {
    case _: ScalarSubquery => true
    case field: GetStructField => isSubqueryValue(field.child)
    case _ => false
  }

  /**
   * Whether an expression only words the error of a cast of an INSERT: where the cast would raise,
   * Spark's operators run. Delta Lake has a class of its own for it.
   */
  private def isOverflowCheck(expression: Expression): Boolean =
    expression.children.length == 1 &&
      expression.getClass.getSimpleName == "CheckOverflowInTableWrite"

  /** The IN over the values of a subquery; over no values before the subquery has run. */
  def membership(in: InSubqueryExec): InSet =
    InSet(in.child, in.values().fold(Set.empty[Any])(_.toSet))

  /** The expression without wrappers that matter only to the planner. */
  def strip(expression: Expression): Expression = expression match {
    case alias: Alias => strip(alias.child)
    // The values are the same, their type is not.
    case Collated(child) => strip(Cast(child, expression.dataType))
    case replaceable: RuntimeReplaceable => strip(replaceable.replacement)
    // Spark normalizes the floats in an array with a function for each element.
    case KnownFloatingPointNormalized(ArrayTransform(array, _)) => NormalizeNaNAndZero(array)
    case tagging: TaggingExpression => strip(tagging.child)
    // Of an aggregate; a field of it has the directions.
    case order: SortOrder => strip(order.child)
    case check if isOverflowCheck(check) => strip(check.children.head)
    case hash: HashExpression[_] => binaryHash(hash)
    case other => other
  }

  /** The hash of a bucket, as the function of binary values that it is without collations. */
  private def binaryHash(hash: HashExpression[_]): Expression =
    if (VersionedSpark.knowsCollations(hash) &&
      !hash.children.exists(child => TypeNames.holdsCollation(child.dataType)))
      Murmur3Hash(hash.children, hash.seed.asInstanceOf[Int])
    else hash
}
