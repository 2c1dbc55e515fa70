package org.apache.spark.sql.broadhead.encoding

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, RegExpExtract, RegExpExtractAll, RegExpInStr, RegExpReplace, RLike, StringSplit}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The fields of functions with a regular expression: the pattern as RE2 reads it.
 *
 * `re2` is null for a pattern that is null. `literal` is the text of a pattern that is one,
 * `lineEnd` says whether the pattern has a `$`, `asciiOnly` whether RE2 reads it like Java for
 * ASCII alone.
 */
private[broadhead] object PatternFields {

  def unapply(expression: Expression): Option[ExpressionFields] = expression match {
    case RLike(_, pattern) => Some(fields(pattern)(found => Right(found.plain)))
    case RegExpExtract(_, pattern, group) => Some(fields(pattern)(withGroup(_, group)))
    case RegExpExtractAll(_, pattern, group) =>
      Some(fields(pattern)(notEmpty(_).flatMap(withGroup(_, group))))
    // The number of the group means nothing.
    case RegExpInStr(_, pattern, _) => Some(fields(pattern)(found => Right(found.plain)))
    case RegExpReplace(_, pattern, replacement, _) => Some(replaceFields(pattern, replacement))
    case StringSplit(_, pattern, _) => Some(fields(pattern)(notEmpty(_).map(_.plain)))
    case _ => None
  }

  private def replaceFields(pattern: Expression, replacement: Expression): ExpressionFields =
    (textOf(pattern), textOf(replacement)) match {
      case (Some(text), Some(written)) =>
        JavaPattern
          .parse(text)
          .flatMap(notEmpty)
          .flatMap { found =>
            for {
              template <- JavaPattern
                .template(written, found.groups)
                .toRight("an unusual replacement")
              used = (1 to found.groups).filter(number => template.contains(s"\\$number"))
              _ <- Either.cond(!used.exists(found.isRepeated), (), "a repeated group")
            } yield {
              val re2 = if (used.isEmpty) found.plain else found.withGroups
              encoded(Some(found), Some(re2), "template" -> Json.text(template))
            }
          }
          .fold(refused, identity)
      case _ => encoded(None, None, "template" -> Json.Null)
    }

  private def fields(pattern: Expression)(
      write: JavaPattern => Either[String, String]): ExpressionFields =
    textOf(pattern) match {
      case None => encoded(None, None)
      case Some(text) =>
        val written =
          JavaPattern.parse(text).flatMap(found => write(found).map(found -> _))
        written.fold(refused, { case (found, re2) => encoded(Some(found), Some(re2)) })
    }

  private def encoded(
      pattern: Option[JavaPattern],
      re2: Option[String],
      others: (String, JsonNode)*): ExpressionFields = {
    val literal = pattern.flatMap(_.literal)
    ExpressionFields(
      Seq(
        "re2" -> re2.fold[JsonNode](Json.Null)(Json.text),
        "literal" -> literal.fold[JsonNode](Json.Null)(Json.text),
        "lineEnd" -> Json.bool(pattern.exists(_.endsLines)),
        "asciiOnly" -> Json.bool(pattern.exists(_.findsWords))) ++ others,
      Nil)
  }

  private def refused(reason: String): ExpressionFields =
    ExpressionFields(Nil, Seq(s"pattern ($reason)"))

  /** Engines differ in what they find between characters. */
  private def notEmpty(pattern: JavaPattern): Either[String, JavaPattern] =
    Either.cond(!pattern.matchesEmpty, pattern, "it matches an empty text")

  private def withGroup(pattern: JavaPattern, group: Expression): Either[String, String] =
    numberOf(group) match {
      case Some(number) if number < 0 || number > pattern.groups => Left("no such group")
      case Some(number) if pattern.isRepeated(number) => Left("a repeated group")
      case Some(number) => Right(pattern.withGroup(number))
      case None => Left("a group that is no literal")
    }

  private def textOf(expression: Expression): Option[String] = expression match {
    case Literal(text: UTF8String, _) => Some(text.toString)
    case _ => None
  }

  private def numberOf(expression: Expression): Option[Int] = expression match {
    case Literal(number: Int, _) => Some(number)
    case _ => None
  }
}
