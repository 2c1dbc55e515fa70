package io.broadhead

import scala.util.Try

import org.apache.spark.network.util.JavaUtils

/** Constructors of settings by the type of their values. */
private[broadhead] object SettingTypes {
  val FirstVersion = "0.1.0"

  def flag(
      name: String,
      default: String,
      category: String,
      doc: String,
      startOnly: Boolean = false): Setting[Boolean] =
    setting(name, "boolean", "true or false", default, category, doc, startOnly) { text =>
      Try(text.toLowerCase.toBoolean).toOption
    }

  def oneOf(
      name: String,
      values: Seq[String],
      default: String,
      category: String,
      doc: String): Setting[String] =
    setting(
      name,
      "enum",
      values.mkString("one of ", ", ", ""),
      default,
      category,
      doc,
      startOnly = false) { text => Some(text).filter(values.contains) }

  /** `auto`, `none` or some of the values, with commas in between. */
  def someOf(
      name: String,
      values: Seq[String],
      default: String,
      category: String,
      doc: String): Setting[String] =
    setting(
      name,
      "list",
      values.mkString("auto, none, or some of ", ", ", ""),
      default,
      category,
      doc,
      startOnly = false) { text =>
      Some(text).filter { given =>
        Set("auto", "none")
          .contains(given) || given.split(",").map(_.trim).forall(values.contains)
      }
    }

  def count(
      name: String,
      default: String,
      category: String,
      doc: String,
      startOnly: Boolean = false): Setting[Int] =
    setting(name, "integer", "a whole number of at least 1", default, category, doc, startOnly) {
      text => Try(text.toInt).toOption.filter(_ >= 1)
    }

  def bytes(name: String, default: String, category: String, doc: String): Setting[Long] =
    setting(
      name,
      "bytes",
      "a size of at least 0, such as 64m",
      default,
      category,
      doc,
      startOnly = false) { text =>
      Try(JavaUtils.byteStringAsBytes(text)).toOption.filter(_ >= 0)
    }

  /** A size, or a word for none. */
  def optionalBytes(
      name: String,
      none: String,
      category: String,
      doc: String,
      startOnly: Boolean): Setting[Option[Long]] =
    setting(
      name,
      "bytes",
      s"$none, or a size of at least 0, such as 64m",
      none,
      category,
      doc,
      startOnly) {
      case `none` => Some(None)
      case text =>
        Try(JavaUtils.byteStringAsBytes(text)).toOption.filter(_ >= 0).map(Some(_))
    }

  def seconds(
      name: String,
      default: String,
      category: String,
      doc: String,
      startOnly: Boolean): Setting[Long] =
    setting(name, "time", "a time of at least 1 second, such as 20s", default, category, doc,
      startOnly) { text => Try(JavaUtils.timeStringAsSec(text)).toOption.filter(_ >= 1) }

  def fraction(
      name: String,
      default: String,
      category: String,
      doc: String,
      startOnly: Boolean): Setting[Double] =
    setting(name, "double", "a number above 0 and at most 1", default, category, doc, startOnly) {
      text => Try(text.toDouble).toOption.filter(value => value > 0 && value <= 1)
    }

  private def setting[T](
      name: String,
      kind: String,
      allowed: String,
      default: String,
      category: String,
      doc: String,
      startOnly: Boolean)(parse: String => Option[T]): Setting[T] =
    Setting[T](
      Settings.Prefix + name,
      kind,
      allowed,
      default,
      doc,
      category,
      FirstVersion,
      startOnly,
      text => parse(text.trim))
}
