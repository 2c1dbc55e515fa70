package org.apache.spark.sql.broadhead.encoding

/** Reasons why something is unsupported. */
private[broadhead] object Reasons {

  /** The reason where the condition holds, none otherwise. */
  def when(condition: Boolean)(reason: => String): Seq[String] =
    if (condition) Seq(reason) else Nil
}
