package org.apache.spark.sql.broadhead.operators

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.broadhead.encoding.Json
import org.apache.spark.sql.broadhead.versions.RandomText
import org.apache.spark.sql.catalyst.expressions._

/** Functions whose value follows from the position of the row among those of its task. */
private[broadhead] object RowFunction {

  /** Characters of a random string: with more, a column of a batch could exceed 2 GiB. */
  private val MaxLength = 100

  def encoded(call: Expression): JsonNode = call match {
    case _: SparkPartitionID => Json.obj("kind" -> Json.text("partition"))
    case _: MonotonicallyIncreasingID => Json.obj("kind" -> Json.text("id"))
    case call: Rand => seeded("uniform", number(call.child))
    case call: Randn => seeded("normal", number(call.child))
    case call: Uuid => seeded("uuid", call.randomSeed.get)
    case RandomText(length, seed) =>
      seeded("text", number(seed), "length" -> Json.number(number(length)))
    case other => throw new IllegalStateException(s"${other.sql} has no position")
  }

  private def seeded(kind: String, seed: Long, more: (String, JsonNode)*): JsonNode =
    Json.obj(Seq("kind" -> Json.text(kind), "seed" -> Json.number(seed)) ++ more: _*)

  /** Spark takes null for 0. */
  private def number(constant: Expression): Long = constant.eval() match {
    case value: Number => value.longValue
    case _ => 0
  }

  /**
   * The calls in an expression that Spark evaluates for every row of the operator.
   *
   * A random value that only some rows ask for is another one than that of the row's position.
   */
  def ofEveryRow(expression: Expression): Seq[Expression] =
    if (isSupported(expression)) Seq(expression)
    else evaluated(expression).flatMap(ofEveryRow)

  /** The calls in an expression, `spark_partition_id` aside, which is the same for all rows. */
  def all(expression: Expression): Seq[Expression] = expression.collect {
    case call @ (_: MonotonicallyIncreasingID | _: Rand | _: Randn | _: Uuid) => call
    case call @ RandomText(_, _) => call
  }

  /** Functions whose values Spark's own code makes faster, with nanoseconds a row on the CPU. */
  def lags(expression: Expression): Seq[(String, Int)] = expression.collect {
    case call: SparkPartitionID => call.prettyName -> 10
    case call: Rand => call.prettyName -> 30
    case call: Randn => call.prettyName -> 50
  }

  private def isSupported(expression: Expression): Boolean = expression match {
    case _: MonotonicallyIncreasingID => true
    case call: Rand => call.child.foldable
    case call: Randn => call.child.foldable
    case call: Uuid => call.randomSeed.isDefined
    case RandomText(length, seed) =>
      length.foldable && seed.foldable && {
        val characters = number(length)
        characters >= 0 && characters <= MaxLength
      }
    case _ => false
  }

  /** The children that are evaluated whatever the values of the others. */
  private def evaluated(expression: Expression): Seq[Expression] = expression match {
    case unary: UnaryExpression => Seq(unary.child)
    // A divisor comes first, and the dividend is left out if it is zero.
    case division @ (_: DivModLike | _: Pmod) if isNumber(division.children(1)) =>
      Seq(division.children.head)
    case _: DivModLike | _: Pmod => Nil
    case round: RoundBase => Seq(round.left)
    case same: EqualNullSafe => same.children
    case binary @ (_: BinaryArithmetic | _: BinaryComparison) =>
      if (binary.children.head.nullable) binary.children.take(1) else binary.children
    case struct: CreateNamedStruct => struct.valExprs
    case concat: Concat => concat.children
    case _ => Nil
  }

  private def isNumber(divisor: Expression): Boolean =
    divisor.foldable && (divisor.eval() match {
      case value: Number => value.doubleValue != 0
      case _ => false
    })
}
