package org.apache.spark.sql.broadhead.encoding

import scala.collection.mutable

import org.apache.spark.sql.broadhead.encoding.JavaPattern._

/** Parses a regular expression of Java, and refuses what [[JavaPattern]] does not describe. */
private[encoding] class JavaPatternParser(pattern: String) {
  private val points = pattern.codePoints.toArray
  private var position = 0
  private var groups = 0
  private val names = mutable.Set.empty[Seq[Int]]
  private var anyCase = false
  private var dotIsAll = false

  def parse(): JavaPattern = {
    parseFlags()
    val root = alternatives()
    if (position < points.length) refuse("an unmatched )")
    if (!endsWell(root, isLast = true)) refuse("$ before other parts")
    JavaPattern(root, groups)
  }

  private def refuse(what: String): Nothing = throw new Refused(what)

  private def peek: Int = if (position < points.length) points(position) else -1

  private def take(): Int = {
    if (position >= points.length) refuse("an incomplete part")
    position += 1
    points(position - 1)
  }

  private def takeIf(text: String): Boolean = {
    val expected = text.codePoints.toArray
    val found = points.slice(position, position + expected.length).sameElements(expected)
    if (found) position += expected.length
    found
  }

  /** `(?i)` and `(?s)` at the start. */
  private def parseFlags(): Unit = {
    "^\\(\\?([is]+)\\)".r.findFirstMatchIn(pattern).foreach { found =>
      anyCase = found.group(1).contains('i')
      dotIsAll = found.group(1).contains('s')
      position = found.end
    }
  }

  private def alternatives(): Node = {
    val branches = mutable.ArrayBuffer(sequence())
    while (takeIf("|")) branches += sequence()
    if (branches.length == 1) branches.head else Alternatives(branches.toSeq)
  }

  private def sequence(): Node = {
    val parts = mutable.ArrayBuffer.empty[Node]
    while (peek != -1 && peek != '|' && peek != ')') {
      if (takeIf("\\Q")) parts ++= quoted() else parts += repeated(atom())
    }
    Sequence(parts.toList)
  }

  /** The characters up to `\E`; a repetition behind it would be of the last one. */
  private def quoted(): Seq[Node] = {
    val rest = points.drop(position)
    val end = rest.indexOfSlice("\\E".codePoints.toArray.toSeq)
    val quoted = if (end < 0) rest else rest.take(end)
    position += quoted.length + (if (end < 0) 0 else 2)
    if ("*+?{".indexOf(peek) >= 0) refuse("a repetition behind \\E")
    quoted.toSeq.map(character)
  }

  private def character(point: Int): Node = {
    if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
      refuse("half a character")
    }
    OneOf(cased(CharacterSet.one(point)))
  }

  private def cased(set: CharacterSet): CharacterSet = if (anyCase) set.withBothCases else set

  private def atom(): Node = take() match {
    case '.' => OneOf(if (dotIsAll) CharacterSet.All else CharacterSet.LineEnds.complement)
    case '^' => TextStart
    case '$' => LineEnd
    case '(' => group()
    case '[' => OneOf(characterClass())
    case '\\' => escape()
    case '*' | '+' | '?' | '{' => refuse("a repetition of nothing")
    case other => character(other)
  }

  private def group(): Node = {
    val number = if (takeIf("?:")) {
      None
    } else if (peek == '?' && !isNamed) {
      refuse("a group with ?")
    } else {
      if (isNamed) {
        val end = points.indexOf('>'.toInt, position)
        val name = points.slice(position, end).toSeq
        if (!names.add(name)) refuse("two groups of a name")
        position = end + 1
      }
      groups += 1
      Some(groups)
    }
    val child = alternatives()
    if (!takeIf(")")) refuse("an open group")
    Group(child, number)
  }

  private def isNamed: Boolean = {
    val start = points.drop(position).takeWhile(_ != '>').map(Character.toString(_)).mkString
    start.matches("\\?<[a-zA-Z][a-zA-Z0-9]*") && position + start.length < points.length
  }

  private def repeated(child: Node): Node = {
    val bounds: Option[(Int, Option[Int])] = peek match {
      case '*' => position += 1; Some((0, None))
      case '+' => position += 1; Some((1, None))
      case '?' => position += 1; Some((0, Some(1)))
      case '{' => Some(counts())
      case _ => None
    }
    bounds.fold(child) { case (least, most) =>
      val isLazy = takeIf("?")
      if (peek == '+') refuse("a possessive repetition")
      if (peek == '*' || peek == '?' || peek == '{') refuse("a repetition of a repetition")
      val repeat = Repeat(child, least, most, isLazy)
      if (child.isInstanceOf[Anchor]) refuse("a repeated anchor")
      if (child.canBeEmpty && most.forall(_ > 1)) refuse("a repetition of what may be empty")
      if (size(repeat) > JavaPatternParser.MostRepetitions) refuse("too many repetitions")
      repeat
    }
  }

  private def counts(): (Int, Option[Int]) = {
    val rest = points.drop(position).takeWhile(_ < 0x80).map(_.toChar).mkString
    val found = "^\\{(\\d{1,4})(,(\\d{1,4})?)?\\}".r.findFirstMatchIn(rest)
    found.fold[(Int, Option[Int])](refuse("a repetition without numbers")) { counts =>
      position += counts.end
      val least = counts.group(1).toInt
      val most =
        if (counts.group(2) == null) Some(least) else Option(counts.group(3)).map(_.toInt)
      if (most.exists(_ < least)) refuse("a repetition with wrong numbers")
      (least, most)
    }
  }

  /** How often the parts are repeated at most in RE2's program, which writes all of them out. */
  private def size(node: Node): Int = {
    val own = node match {
      case Repeat(_, least, most, _) => math.max(most.getOrElse(least), 1)
      case _ => 1
    }
    own * (1 +: node.children.map(size)).max
  }

  private def escape(): Node = take() match {
    case 'b' => if (peek == '{') refuse("\\b{") else WordBoundary
    case 'A' => TextStart
    case 'z' => TextEnd
    case 'Z' => LineEnd
    case other => setOfEscape(other).fold(character(pointOfEscape(other)))(OneOf(_))
  }

  /** The class of an escape, without its backslash. */
  private def setOfEscape(point: Int): Option[CharacterSet] = point match {
    case 'd' => Some(CharacterSet.Digits)
    case 'D' => Some(CharacterSet.Digits.complement)
    case 'w' => Some(CharacterSet.Words)
    case 'W' => Some(CharacterSet.Words.complement)
    case 's' => Some(CharacterSet.Spaces)
    case 'S' => Some(CharacterSet.Spaces.complement)
    case 'p' | 'P' =>
      val rest = points.drop(position).takeWhile(_ < 0x80).map(_.toChar).mkString
      val name = "^\\{(\\w+)\\}".r.findFirstMatchIn(rest).map(_.group(1))
      val set = name.flatMap(CharacterSet.Posix.get)
      if (anyCase || set.isEmpty) refuse(s"\\${point.toChar} of other classes than POSIX's")
      position += name.get.length + 2
      Some(if (point == 'P') set.get.complement else set.get)
    case _ => None
  }

  /** The character of an escape, without its backslash. */
  private def pointOfEscape(point: Int): Int = point match {
    case 't' => '\t'
    case 'n' => '\n'
    case 'r' => '\r'
    case 'f' => '\f'
    case 'a' => 0x07
    case 'e' => 0x1b
    case 'x' if peek != '{' => hexadecimal(2)
    case 'u' => hexadecimal(4)
    case other if other < 0x80 && Character.isLetterOrDigit(other) =>
      refuse(s"\\${other.toChar}")
    case other => other
  }

  private def hexadecimal(digits: Int): Int = {
    val text = points.slice(position, position + digits).map(Character.toString(_)).mkString
    if (!text.matches(s"[0-9a-fA-F]{$digits}")) refuse("a wrong hexadecimal number")
    position += digits
    Integer.parseInt(text, 16)
  }

  private def characterClass(): CharacterSet = {
    val negated = takeIf("^")
    if (peek == ']') refuse("] at the start of a class")
    var set = CharacterSet.of()
    while (!takeIf("]")) set = set.union(classItem())
    val result = if (negated) set.complement else set
    if (result.ranges.isEmpty) refuse("a class without characters")
    result
  }

  private def classItem(): CharacterSet = {
    val first = take()
    if (first == '[' || (first == '&' && peek == '&')) refuse("a class in a class")
    val set = if (first == '\\') setOfEscape(take()) else None
    set.getOrElse {
      val low = if (first == '\\') pointOfEscape(points(position - 1)) else first
      val next = if (position + 1 < points.length) points(position + 1) else -1
      if (peek == '-' && next != ']') cased(CharacterSet.of((low, rangeEnd(low))))
      else single(low)
    }
  }

  private def single(point: Int): CharacterSet = {
    val set = cased(CharacterSet.one(point))
    if (set.ranges.isEmpty) refuse("half a character")
    set
  }

  private def rangeEnd(low: Int): Int = {
    position += 1
    val high = take() match {
      case '[' => refuse("a class in a class")
      case '\\' =>
        val escaped = take()
        if (setOfEscape(escaped).isDefined) refuse("a range up to a class")
        pointOfEscape(escaped)
      case other => other
    }
    if (high < low) refuse("a range with wrong ends")
    high
  }

  /** Whether nothing follows a `$`, before which a line end may stand. */
  private def endsWell(node: Node, isLast: Boolean): Boolean = node match {
    case LineEnd => isLast
    case Sequence(parts) =>
      parts.zipWithIndex.forall { case (part, number) =>
        endsWell(part, isLast && parts.drop(number + 1).forall(_.isInstanceOf[Anchor]))
      }
    case Repeat(child, _, most, _) => endsWell(child, isLast && most.contains(1))
    case other => other.children.forall(endsWell(_, isLast))
  }
}

private[encoding] object JavaPatternParser {
  private val MostRepetitions = 1000
}
