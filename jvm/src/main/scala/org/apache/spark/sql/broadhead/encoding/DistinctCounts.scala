package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions.aggregate.HyperLogLogPlusPlus
import org.apache.spark.sql.catalyst.util.HyperLogLogPlusPlusHelper

/** What the engine needs to know of Spark's approximate counts of distinct values. */
private[broadhead] object DistinctCounts {
  private val FewestBits = 4

  /** The constants of Spark's correction for a sketch of this size; without them, no support. */
  def fieldsOf(sketch: HyperLogLogPlusPlus): ExpressionFields = {
    val words = sketch.aggBufferAttributes.length
    val sizes = HyperLogLogPlusPlusHelper.THRESHOLDS.indices
    sizes.find(size => wordsOf(1 << (size + FewestBits)) == words) match {
      case Some(size) =>
        ExpressionFields(
          Seq(
            "threshold" -> Json.fraction(HyperLogLogPlusPlusHelper.THRESHOLDS(size)),
            "estimates" -> fractions(HyperLogLogPlusPlusHelper.RAW_ESTIMATE_DATA(size)),
            "biases" -> fractions(HyperLogLogPlusPlusHelper.BIAS_DATA(size))),
          Nil)
      case None => ExpressionFields(Nil, Seq("relativeSD"))
    }
  }

  private def wordsOf(registers: Int): Int =
    registers / HyperLogLogPlusPlusHelper.REGISTERS_PER_WORD + 1

  private def fractions(values: Array[Double]) = Json.array(values.map(Json.fraction))
}
