package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions.aggregate.{CentralMomentAgg, Covariance, DeclarativeAggregate, PearsonCorrelation, RegrIntercept, RegrSlope}
import org.apache.spark.sql.catalyst.expressions.BindReferences
import org.apache.spark.sql.catalyst.InternalRow

/** The differences between Spark's versions in statistics of differences from the mean. */
private[broadhead] object CentralMoments {

  /**
   * Whether merging with an empty buffer gives NaN if the square of the mean overflows to infinity.
   * Before Spark 4.3 the merge computes inf * 0 = NaN.
   */
  def isNaNFromNothing(function: DeclarativeAggregate): Boolean = {
    val buffers = function.aggBufferAttributes ++ function.inputAggBufferAttributes
    val products = function.aggBufferAttributes.indexWhere(buffer => Products(buffer.name))
    val merged = BindReferences.bindReference(function.mergeExpressions(products), buffers)
    val nothing = Seq.fill(function.aggBufferAttributes.length)(0.0)
    val values = (nothing :+ 1.0) ++ Seq.fill(products - 1)(Double.MaxValue)
    val row = InternalRow.fromSeq(values.padTo(buffers.length, 0.0))
    merged.eval(row).asInstanceOf[Double].isNaN
  }

  /** Whether a function is one of these statistics. */
  def includes(function: DeclarativeAggregate): Boolean = function match {
    case _: CentralMomentAgg | _: Covariance | _: PearsonCorrelation => true
    case _: RegrSlope | _: RegrIntercept => true
    case _ => false
  }

  /** The buffers that hold the squares or products of differences from the mean. */
  private val Products = Set("m2", "ck")
}
