package org.apache.spark.sql.broadhead.scan.text

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Spark's own parser of the lines of a scan's files. */
private[broadhead] trait LineParsing extends Serializable {

  /** The columns of the rows. */
  def requiredSchema: StructType

  /** A parser from lines to their rows, which are valid until the next row is asked for. */
  def parser(): Array[Byte] => Iterator[InternalRow]
}

private[broadhead] object LineParsing {

  /** The metric of scans whose engine leaves lines to Spark's parser. */
  val counts: Seq[(String, String)] =
    Seq("linesParsed" -> "number of lines that Spark's parser read")
}
