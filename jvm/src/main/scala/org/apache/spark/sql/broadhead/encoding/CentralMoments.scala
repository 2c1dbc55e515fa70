package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions.aggregate.CentralMomentAgg
import org.apache.spark.sql.catalyst.expressions.BindReferences
import org.apache.spark.sql.catalyst.InternalRow

/** What Spark's versions differ in where they compute deviations and variances. */
private[broadhead] object CentralMoments {

  /**
   * Whether values merged with no values have no variance where the square of their mean is beyond
   * all numbers. So it was before Spark 4.3: infinity was weighed with nothing.
   */
  def isNaNFromNothing(function: CentralMomentAgg): Boolean = {
    val buffers = function.aggBufferAttributes ++ function.inputAggBufferAttributes
    val squares = BindReferences.bindReference(function.mergeExpressions(2), buffers)
    val values = Seq.fill(function.aggBufferAttributes.length)(0.0) ++ Seq(1.0, Double.MaxValue)
    val row = InternalRow.fromSeq(values.padTo(buffers.length, 0.0))
    squares.eval(row).asInstanceOf[Double].isNaN
  }
}
