package org.apache.spark.sql.broadhead.encoding

/** Reasons why something is unsupported. */
private[broadhead] object Reasons {

  /** The reason if the condition holds, otherwise none. */
  def when(condition: Boolean)(reason: => String): Seq[String] =
    if (condition) Seq(reason) else Nil
}
