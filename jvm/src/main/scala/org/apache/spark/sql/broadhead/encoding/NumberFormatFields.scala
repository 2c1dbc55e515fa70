package org.apache.spark.sql.broadhead.encoding

import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.expressions.{Literal, ToCharacter}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The fields of `to_char` for numbers: its format.
 *
 * `groups` are the numbers of digits between commas before the point, `zeros` says whether zeros
 * lead them, `after` is the number of digits behind the point. `sign` is S or MI, before the
 * digits or behind them.
 */
private[broadhead] object NumberFormatFields {
  private val Format: Regex =
    raw"(S|MI)?(\$$)?(9+(?:[,G]9+)*|0[09]*(?:[,G]0[09]*)*)(?:[.D]([09]+))?(S|MI)?".r
  private val MaxDigits = 18

  def of(function: ToCharacter): ExpressionFields = function.right match {
    case Literal(text: UTF8String, _) =>
      text.toString match {
        case Format(before, dollar, whole, after, behind) if before == null || behind == null =>
          val groups = whole.split("[,G]").map(_.length.toLong).toSeq
          val digits = Option(after).fold(0L)(_.length.toLong)
          if (groups.sum + digits <= MaxDigits) {
            ExpressionFields(
              Seq(
                "sign" -> Json.text(Seq(before, behind).find(_ != null).getOrElse("")),
                "signFirst" -> Json.bool(before != null),
                "dollar" -> Json.bool(dollar != null),
                "groups" -> Json.array(groups.map(Json.number)),
                "zeros" -> Json.bool(whole.startsWith("0")),
                "after" -> Json.number(digits)),
              Nil)
          } else refused
        case _ => refused
      }
    case _ => refused
  }

  private def refused: ExpressionFields =
    ExpressionFields(Nil, Seq(s"format (no literal of up to $MaxDigits digits in a usual order)"))
}
