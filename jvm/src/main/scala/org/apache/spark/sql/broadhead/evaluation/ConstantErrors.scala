package org.apache.spark.sql.broadhead.evaluation

import java.util.regex.Pattern

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, FromUTCTimestamp, Literal, MultiLikeBase, RLike, ToUTCTimestamp, Unevaluable, WindowFunction}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.unsafe.types.UTF8String

/**
 * Errors of constant texts (patterns, formats, time zones) that Spark raises without a row,
 * because it reads them when it generates the code of an operator or starts it.
 */
private[broadhead] object ConstantErrors {

  /** Whether Spark raises for the function's own arguments, whatever its rows are. */
  def raises(function: Expression): Boolean = function match {
    // These have no code of their own.
    case _: AggregateFunction | _: WindowFunction | _: Unevaluable => false
    case RLike(_, Literal(pattern: UTF8String, _)) =>
      Try(Pattern.compile(pattern.toString)).isFailure
    case FromUTCTimestamp(_, Literal(zone: UTF8String, _)) => isNoZone(zone)
    case ToUTCTimestamp(_, Literal(zone: UTF8String, _)) => isNoZone(zone)
    case _: MultiLikeBase => Try(generate(function)).isFailure
    case _ if function.children.exists(isText) => Try(generate(function)).isFailure
    case _ => false
  }

  private def isNoZone(name: UTF8String): Boolean =
    Try(DateTimeUtils.getZoneId(name.toString)).isFailure

  private def generate(function: Expression): Unit = {
    val arguments = function.children.map {
      case constant: Literal => constant
      case other => BoundReference(0, other.dataType, other.nullable)
    }
    function.withNewChildren(arguments).genCode(new CodegenContext)
  }

  private def isText(expression: Expression): Boolean = expression match {
    case Literal(_: UTF8String, _) => true
    case _ => false
  }
}
