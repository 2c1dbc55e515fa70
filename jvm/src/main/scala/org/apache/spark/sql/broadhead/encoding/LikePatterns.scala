package org.apache.spark.sql.broadhead.encoding

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Expression, LikeAll, LikeAny, NotLikeAll, NotLikeAny}
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.unsafe.types.UTF8String

/** The field of LIKE ALL and LIKE ANY: the patterns, of which one may be null. */
private[broadhead] object LikePatterns {
  private val Escape = '\\'

  def unapply(expression: Expression): Option[ExpressionFields] = expression match {
    case LikeAll(_, patterns) => Some(fields(patterns))
    case NotLikeAll(_, patterns) => Some(fields(patterns))
    case LikeAny(_, patterns) => Some(fields(patterns))
    case NotLikeAny(_, patterns) => Some(fields(patterns))
    case _ => None
  }

  /** Spark reads the patterns before there is a row, so an invalid one is an error without any. */
  private def fields(patterns: Seq[UTF8String]): ExpressionFields = {
    val texts = patterns.map(Option(_).map(_.toString))
    if (texts.flatten.forall(text => Try(StringUtils.escapeLikeRegex(text, Escape)).isSuccess)) {
      val items = texts.map(_.fold(Json.Null)(Json.text))
      ExpressionFields(Seq("patterns" -> Json.array(items)), Nil)
    } else {
      ExpressionFields(Nil, Seq("patterns (one is invalid)"))
    }
  }
}
