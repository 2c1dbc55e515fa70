package org.apache.spark.sql.broadhead.versions

import scala.collection.immutable.ArraySeq

/** The command of a Python function, as Spark's class takes it. */
private[broadhead] object PythonBytes {
  def of(command: Array[Byte]): Seq[Byte] = ArraySeq.unsafeWrapArray(command)
}
