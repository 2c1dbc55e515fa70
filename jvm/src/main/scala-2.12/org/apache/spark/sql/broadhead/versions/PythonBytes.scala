package org.apache.spark.sql.broadhead.versions

/** The command of a Python function, as Spark's class takes it. */
private[broadhead] object PythonBytes {
  def of(command: Array[Byte]): Seq[Byte] = command.toSeq
}
