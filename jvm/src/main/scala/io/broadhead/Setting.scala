package io.broadhead

/**
 * A configuration key of Broadhead: its type, default and meaning together.
 *
 * @param allowed the allowed values in words, for errors and the documentation
 * @param parse converts a text to a value, None if the text is not allowed
 * @param defaultText the default as a user would write it
 * @param startOnly whether only the value at the start of the application counts
 */
final case class Setting[T](
    key: String,
    kind: String,
    allowed: String,
    defaultText: String,
    doc: String,
    category: String,
    since: String,
    startOnly: Boolean,
    parse: String => Option[T]) {

  val default: T = valueOf(defaultText)

  def valueOf(text: String): T =
    parse(text).getOrElse(throw new IllegalArgumentException(refusal(text)))

  def refusal(text: String): String =
    s"The value '$text' of $key is not allowed: it must be $allowed (default: $defaultText)"
}
