package org.apache.spark.sql.broadhead.encoding

import scala.collection.mutable

import org.apache.spark.sql.broadhead.versions.Optional

/**
 * A regular expression of Java, parsed.
 *
 * Only what RE2 matches in the same way, which is leftmost with the same preferences: characters
 * and classes of them, groups, alternatives, greedy and lazy repetitions, and anchors.
 *
 * @param groups the number of capturing groups
 */
private[broadhead] case class JavaPattern(root: JavaPattern.Node, groups: Int) {
  import JavaPattern._

  /** Whether the pattern matches an empty text. */
  def matchesEmpty: Boolean = root.canBeEmpty

  /** Whether `$` is in the pattern: the end of a text, or the line end before it. */
  def endsLines: Boolean = root.exists(_ == LineEnd)

  /** Whether `\b` is in the pattern, which versions of Java read differently beyond ASCII. */
  def findsWords: Boolean = root.exists(_ == WordBoundary)

  /** The text, if the pattern is one. */
  def literal: Option[String] = root match {
    case Sequence(parts) if parts.nonEmpty =>
      val points = parts.map {
        case OneOf(CharacterSet(Seq((only, end)))) if only == end => Some(only)
        case _ => None
      }
      Optional.when(points.forall(_.isDefined))(
        points.flatten.map(Character.toString(_)).mkString)
    case _ => None
  }

  /** Whether a group can have several texts in one match, of which the last one counts. */
  def isRepeated(group: Int): Boolean = root.exists {
    case Repeat(child, _, most, _) => most.forall(_ > 1) && child.exists(isGroup(group))
    case _ => false
  }

  /** The pattern for RE2, without groups. */
  def plain: String = root.write(_ => "(?:")

  /** The pattern for RE2 with one group of the name `g`; 0 is the whole match. */
  def withGroup(number: Int): String =
    if (number == 0) s"(?P<g>$plain)"
    else root.write(group => if (group == number) "(?P<g>" else "(?:")

  /** The pattern for RE2 with all groups. */
  def withGroups: String = root.write(_ => "(")

  private def isGroup(number: Int)(node: Node): Boolean = node match {
    case Group(_, Some(`number`)) => true
    case _ => false
  }
}

private[broadhead] object JavaPattern {

  /** A part of a pattern. */
  sealed trait Node {
    def children: Seq[Node] = Nil
    def canBeEmpty: Boolean

    /** The part for RE2; `open` gives the begin of a capturing group by its number. */
    def write(open: Int => String): String

    def exists(condition: Node => Boolean): Boolean =
      condition(this) || children.exists(_.exists(condition))
  }

  /** One character of a set. */
  case class OneOf(set: CharacterSet) extends Node {
    def canBeEmpty: Boolean = false
    def write(open: Int => String): String = set.written
  }

  case class Sequence(override val children: Seq[Node]) extends Node {
    def canBeEmpty: Boolean = children.forall(_.canBeEmpty)
    def write(open: Int => String): String = children.map(_.write(open)).mkString
  }

  case class Alternatives(override val children: Seq[Node]) extends Node {
    def canBeEmpty: Boolean = children.exists(_.canBeEmpty)
    def write(open: Int => String): String =
      children.map(_.write(open)).mkString("(?:", "|", ")")
  }

  case class Group(child: Node, number: Option[Int]) extends Node {
    override def children: Seq[Node] = Seq(child)
    def canBeEmpty: Boolean = child.canBeEmpty
    def write(open: Int => String): String =
      number.fold("(?:")(open) + child.write(open) + ")"
  }

  case class Repeat(child: Node, least: Int, most: Option[Int], isLazy: Boolean) extends Node {
    override def children: Seq[Node] = Seq(child)
    def canBeEmpty: Boolean = least == 0 || child.canBeEmpty
    def write(open: Int => String): String = {
      val times = s"{$least,${most.fold("")(_.toString)}}"
      s"(?:${child.write(open)})$times${if (isLazy) "?" else ""}"
    }
  }

  /** A position that takes no characters. */
  sealed abstract class Anchor(written: String) extends Node {
    def canBeEmpty: Boolean = true
    def write(open: Int => String): String = written
  }

  case object TextStart extends Anchor("\\A")
  case object TextEnd extends Anchor("\\z")
  case object LineEnd extends Anchor("\\z")
  case object WordBoundary extends Anchor("\\b")

  /** The pattern, or what in it other engines read differently. */
  def parse(pattern: String): Either[String, JavaPattern] =
    try Right(new JavaPatternParser(pattern).parse())
    catch { case refused: Refused => Left(refused.reason) }

  /** Java's template of a replacement for RE2; None if it is no valid or no simple one. */
  def template(replacement: String, groups: Int): Option[String] = {
    val written = new mutable.StringBuilder
    var position = 0
    def literal(character: Char): Unit =
      written ++= (if (character == '\\') "\\\\" else character.toString)
    while (position < replacement.length) {
      replacement.charAt(position) match {
        case '\\' if position + 1 < replacement.length =>
          literal(replacement.charAt(position + 1))
          position += 2
        case '$' =>
          val number = groupNumber(replacement.drop(position + 1), groups)
          if (number.isEmpty) return None
          written ++= s"\\${number.get}"
          position += 1 + number.get.length
        case '\\' => return None
        case other =>
          literal(other)
          position += 1
      }
    }
    Some(written.toString)
  }

  /** The digits of a group: as many as make the number of one. RE2 knows those up to 9. */
  private def groupNumber(text: String, groups: Int): Option[String] = {
    val digits = text.takeWhile(character => character >= '0' && character <= '9').take(3)
    val fitting = (1 to digits.length).map(digits.take).filter(_.toInt <= groups)
    // Java takes a first digit of 0 as the whole match, and then no more than make a group.
    fitting.lastOption.filter(number => number.length == 1 && digits.nonEmpty)
  }

  final class Refused(val reason: String) extends RuntimeException(reason, null, false, false)
}
