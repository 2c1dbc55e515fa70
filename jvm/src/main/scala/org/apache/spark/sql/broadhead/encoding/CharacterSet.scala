package org.apache.spark.sql.broadhead.encoding

/** A set of code points as ranges in ascending order, without surrogates. */
private[broadhead] case class CharacterSet private (ranges: Seq[(Int, Int)]) {
  import CharacterSet._

  def union(other: CharacterSet): CharacterSet = of(ranges ++ other.ranges: _*)

  def complement: CharacterSet = {
    val starts = 0 +: ranges.map(_._2 + 1)
    val ends = ranges.map(_._1 - 1) :+ Last
    of(starts.zip(ends).filter { case (start, end) => start <= end }: _*)
  }

  /** With the other case of each ASCII letter. */
  def withBothCases: CharacterSet = {
    val shifts = Seq(('a', 'z', -CaseShift), ('A', 'Z', CaseShift))
    val others = for {
      (low, high) <- ranges
      (first, last, shift) <- shifts
      (start, end) = (math.max(low, first.toInt), math.min(high, last.toInt))
      if start <= end
    } yield (start + shift, end + shift)
    of(ranges ++ others: _*)
  }

  /** For RE2: a character, or a class. */
  def written: String = ranges match {
    case Seq((only, end)) if only == end => character(only)
    case several =>
      several
        .map { case (low, high) => if (low == high) code(low) else s"${code(low)}-${code(high)}" }
        .mkString("[", "", "]")
  }

  private def character(point: Int): String =
    if (Character.isLetterOrDigit(point) && point < 0x80) point.toChar.toString else code(point)

  private def code(point: Int): String = s"\\x{${Integer.toHexString(point)}}"
}

private[broadhead] object CharacterSet {
  private val Last = Character.MAX_CODE_POINT
  private val CaseShift = 'a' - 'A'
  private val Surrogates = (0xd800, 0xdfff)

  /** The set of all ranges together. */
  def of(ranges: (Int, Int)*): CharacterSet = {
    val joined = ranges.flatMap(withoutSurrogates).sorted.foldLeft(List.empty[(Int, Int)]) {
      case ((low, high) :: rest, (start, end)) if start <= high + 1 =>
        (low, math.max(high, end)) :: rest
      case (known, range) => range :: known
    }
    CharacterSet(joined.reverse)
  }

  def one(point: Int): CharacterSet = of((point, point))

  private def chars(ranges: (Char, Char)*): CharacterSet =
    of(ranges.map { case (low, high) => (low.toInt, high.toInt) }: _*)

  private def withoutSurrogates(range: (Int, Int)): Seq[(Int, Int)] =
    Seq(
      (range._1, math.min(range._2, Surrogates._1 - 1)),
      (math.max(range._1, Surrogates._2 + 1), range._2))
      .filter { case (low, high) => low <= high }

  val All: CharacterSet = of((0, Last))
  val Digits: CharacterSet = chars('0' -> '9')
  val Words: CharacterSet = chars('a' -> 'z', 'A' -> 'Z', '0' -> '9', '_' -> '_')
  val Spaces: CharacterSet = chars('\t' -> '\r', ' ' -> ' ')

  /** What `.` does not match. */
  val LineEnds: CharacterSet =
    of((0x0a, 0x0a), (0x0d, 0x0d), (0x85, 0x85), (0x2028, 0x2029))

  /** The classes `\p{...}` of ASCII alone. */
  val Posix: Map[String, CharacterSet] = {
    val lower = chars('a' -> 'z')
    val upper = chars('A' -> 'Z')
    val letters = lower.union(upper)
    val punctuation = chars('!' -> '/', ':' -> '@', '[' -> '`', '{' -> '~')
    Map(
      "Lower" -> lower,
      "Upper" -> upper,
      "ASCII" -> of((0, 0x7f)),
      "Alpha" -> letters,
      "Digit" -> Digits,
      "Alnum" -> letters.union(Digits),
      "Punct" -> punctuation,
      "Graph" -> letters.union(Digits).union(punctuation),
      "Print" -> of((0x20, 0x7e)),
      "Blank" -> chars(' ' -> ' ', '\t' -> '\t'),
      "Cntrl" -> of((0, 0x1f), (0x7f, 0x7f)),
      "XDigit" -> chars('0' -> '9', 'a' -> 'f', 'A' -> 'F'),
      "Space" -> Spaces)
  }
}
