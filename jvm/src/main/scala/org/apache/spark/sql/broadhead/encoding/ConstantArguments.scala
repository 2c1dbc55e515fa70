package org.apache.spark.sql.broadhead.encoding

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/**
 * The arguments of aggregates, with literals instead of constants.
 *
 * Spark evaluates an argument that must be a constant, such as a percentage, whatever it is made
 * of, while the engine asks for a literal there.
 */
private[broadhead] object ConstantArguments {

  def of(function: AggregateFunction): Seq[Expression] = function.children.map {
    case literal: Literal => literal
    case constant if constant.foldable =>
      Try(Literal.create(constant.eval(), constant.dataType)).getOrElse(constant)
    case other => other
  }
}
