package org.apache.spark.sql.broadhead.encoding

import scala.collection.mutable
import scala.util.matching.Regex

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions.{Expression, FormatString, Literal}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * The field of `format_string`: the parts of its format.
 *
 * A part is a text, or a conversion: an array of its letter, the number of its argument, the
 * flags, the width and the precision, -1 where there is none. Only conversions are known whose
 * result does not hang on details of Java's `Formatter`.
 */
private[broadhead] object FormatFields {
  private val Conversion: Regex = raw"%(\d+\$$)?([-+0,]*)(\d+)?(\.\d+)?([a-zA-Z%])".r
  private val MaxWidth = 100
  private val MaxPrecision = 9

  private class Refused(val reason: String) extends RuntimeException(reason, null, false, false)

  def of(function: FormatString): ExpressionFields = function.children.head match {
    case Literal(null, _) => ExpressionFields(Seq("parts" -> Json.Null), Nil)
    case Literal(format: UTF8String, _) =>
      try
        ExpressionFields(
          Seq("parts" -> Json.array(parts(format.toString, function.children.tail))),
          Nil)
      catch { case refused: Refused => ExpressionFields(Nil, Seq(s"format (${refused.reason})")) }
    case _ => ExpressionFields(Nil, Seq("format (no literal)"))
  }

  private def parts(format: String, arguments: Seq[Expression]): Seq[JsonNode] = {
    val found = mutable.Buffer.empty[JsonNode]
    val text = new mutable.StringBuilder
    var position, next = 0
    while (position < format.length) {
      if (format.charAt(position) != '%') {
        text += format.charAt(position)
        position += 1
      } else {
        val matched = Conversion
          .findPrefixMatchOf(format.substring(position))
          .getOrElse(throw new Refused("an unusual conversion"))
        position += matched.end
        matched.group(5) match {
          case "%" if matched.end == 2 => text += '%'
          case "n" if matched.end == 2 => text ++= System.lineSeparator
          case _ =>
            val number = Option(matched.group(1)).fold(next)(_.dropRight(1).toInt - 1)
            if (matched.group(1) == null) next += 1
            if (text.nonEmpty) found += Json.text(text.toString)
            text.clear()
            found += conversion(matched, number, arguments)
        }
      }
    }
    if (text.nonEmpty) found += Json.text(text.toString)
    found.toSeq
  }

  private def conversion(
      matched: Regex.Match,
      number: Int,
      arguments: Seq[Expression]): JsonNode = {
    val letter = matched.group(5)
    val flags = matched.group(2)
    val width = Option(matched.group(3)).fold(-1)(numberOf)
    val precision = Option(matched.group(4)).fold(-1)(text => numberOf(text.drop(1)))
    if (!arguments.isDefinedAt(number)) throw new Refused("more conversions than arguments")
    val isKnown = (letter, arguments(number).dataType) match {
      case ("s", _: StringType | BooleanType | _: IntegralType) =>
        Set("", "-").contains(flags) && precision < 0
      case ("d", _: IntegralType) => precision < 0
      case ("x" | "X", _: IntegralType) => Set("", "0", "-").contains(flags) && precision < 0
      case ("f", _: FractionalType) =>
        !arguments(number).dataType.isInstanceOf[DecimalType] && precision <= MaxPrecision
      case _ => false
    }
    // With these Java raises an error.
    val isValid =
      flags.distinct == flags && !Seq("-0", "0-").exists(flags.filter("-0".contains(_)) == _) &&
        !(width < 0 && flags.exists("-0".contains(_)))
    if (!isKnown || !isValid || width > MaxWidth) {
      throw new Refused(s"the conversion ${matched.matched} of ${arguments(number).dataType.sql}")
    }
    Json.array(
      Seq(
        Json.text(letter),
        Json.number(number.toLong),
        Json.text(flags),
        Json.number(width.toLong),
        Json.number(precision.toLong)))
  }

  private def numberOf(digits: String): Int =
    if (digits.length > 3) throw new Refused("a large width") else digits.toInt
}
