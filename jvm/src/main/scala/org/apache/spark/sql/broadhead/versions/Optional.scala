package org.apache.spark.sql.broadhead.versions

/** Values under a condition: `Option.when` of Scala 2.13, for all versions of Scala. */
private[broadhead] object Optional {

  /** The value if the condition holds. */
  def when[T](condition: Boolean)(value: => T): Option[T] = if (condition) Some(value) else None
}
