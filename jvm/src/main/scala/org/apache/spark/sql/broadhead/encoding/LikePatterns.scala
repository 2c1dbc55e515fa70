package org.apache.spark.sql.broadhead.encoding

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions.{Expression, LikeAll, LikeAny, NotLikeAll, NotLikeAny}
import org.apache.spark.unsafe.types.UTF8String

/** The field of LIKE ALL and LIKE ANY: the patterns, of which one may be null. */
private[broadhead] object LikePatterns {
  def unapply(expression: Expression): Option[ExpressionFields] = expression match {
    case LikeAll(_, patterns) => Some(fields(patterns))
    case NotLikeAll(_, patterns) => Some(fields(patterns))
    case LikeAny(_, patterns) => Some(fields(patterns))
    case NotLikeAny(_, patterns) => Some(fields(patterns))
    case _ => None
  }

  private def fields(patterns: Seq[UTF8String]): ExpressionFields = {
    val items =
      patterns.map(Option(_).fold[JsonNode](Json.Null)(text => Json.text(text.toString)))
    ExpressionFields(Seq("patterns" -> Json.array(items)), Nil)
  }
}
