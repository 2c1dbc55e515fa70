package org.apache.spark.sql.broadhead.pythonfunctions

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.internal.SQLConf

/** The kinds of Python functions that the engine calls, by PySpark's `PythonEvalType`. */
private[broadhead] object PythonKinds {

  /** Numbers, since versions of Spark without a kind have no name for it. */
  private val Supported: Set[Int] = Set(
    // functions of one row: pickled, and by Arrow
    100, 101,
    // pandas: scalar, grouped map, aggregate, window, scalar over an iterator, map, cogrouped map
    200, 201, 202, 203, 204, 205, 206,
    // Arrow: map, grouped map, cogrouped map
    207, 209, 210,
    // grouped map over an iterator: Arrow, pandas
    215, 216,
    // Arrow: scalar, scalar over an iterator, aggregate, window
    250, 251, 252, 253,
    // table functions: pickled rows, rows by Arrow, Arrow's batches
    300, 301, 302)

  /** Kinds that read their input: scalar over an iterator, map, grouped map over one. */
  private val OverIterators: Set[Int] = Set(204, 205, 207, 215, 216, 251)

  private val Profiler = "spark.sql.pyspark.udf.profiler"

  /** Why functions of a kind are not called. */
  def reasons(evalType: Int): Seq[String] =
    Reasons.when(!Supported(evalType))(s"functions of kind $evalType are not supported") ++
      // Python has one profiler at a time, and the input may call other functions.
      Reasons.when(
        OverIterators(evalType) && CompiledSpark.pythonProfiler(SQLConf.get).isDefined)(
        s"$Profiler would profile the engine in a function that reads " +
          "its input")
}
