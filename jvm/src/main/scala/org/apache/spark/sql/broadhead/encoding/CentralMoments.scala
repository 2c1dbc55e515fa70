package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions.aggregate.CentralMomentAgg
import org.apache.spark.sql.catalyst.expressions.BindReferences
import org.apache.spark.sql.catalyst.InternalRow

/** The differences between Spark's versions in variances and standard deviations. */
private[broadhead] object CentralMoments {

  /**
   * Whether merging with an empty buffer gives NaN if the square of the mean overflows to infinity.
   * Before Spark 4.3 the merge computes inf * 0 = NaN.
   */
  def isNaNFromNothing(function: CentralMomentAgg): Boolean = {
    val buffers = function.aggBufferAttributes ++ function.inputAggBufferAttributes
    val squares = BindReferences.bindReference(function.mergeExpressions(2), buffers)
    val values = Seq.fill(function.aggBufferAttributes.length)(0.0) ++ Seq(1.0, Double.MaxValue)
    val row = InternalRow.fromSeq(values.padTo(buffers.length, 0.0))
    squares.eval(row).asInstanceOf[Double].isNaN
  }
}
