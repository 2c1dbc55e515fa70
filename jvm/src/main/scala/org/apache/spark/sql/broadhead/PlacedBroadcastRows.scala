package org.apache.spark.sql.broadhead

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastMode, Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The rows of one of our broadcasts and the place of each, as a leaf of the operators kept for
 * replay: in one partition, or for Spark's nested loop join.
 */
private[broadhead] case class PlacedBroadcastRows(plan: SparkPlan, place: Attribute)
    extends LeafExecNode {

  override def output: Seq[Attribute] = plan.output :+ place

  // A known partitioning would let a union put this partition and others together.
  override def outputPartitioning: Partitioning = UnknownPartitioning(1)

  protected override def doExecute(): RDD[InternalRow] = {
    val relation = doExecuteBroadcast[Array[InternalRow]]()
    sparkContext.parallelize(Seq(0), 1).mapPartitions(_ => relation.value.iterator)
  }

  override protected[sql] def doExecuteBroadcast[T](): Broadcast[T] =
    plan.executeBroadcast[Any]() match {
      case rows: LazyRelationBroadcast =>
        rows.withMode(PlacedRowsMode(plan.output.map(_.dataType))).asInstanceOf[Broadcast[T]]
      case _ => throw new IllegalStateException(s"${plan.nodeName} is no broadcast of Broadhead")
    }
}

/**
 * Rows with one more column: their place in the broadcast.
 *
 * @param types those of the rows' own columns
 */
private[broadhead] case class PlacedRowsMode(types: Seq[DataType]) extends BroadcastMode {

  override def transform(rows: Array[InternalRow]): Array[InternalRow] =
    transform(rows.iterator, Some(rows.length.toLong))

  // Generated code takes no other rows than unsafe ones.
  override def transform(
      rows: Iterator[InternalRow],
      sizeHint: Option[Long]): Array[InternalRow] = {
    val project = UnsafeProjection.create((types :+ LongType).toArray)
    rows.zipWithIndex.map { case (row, place) =>
      project(new JoinedRow(row, InternalRow(place.toLong))).copy(): InternalRow
    }.toArray
  }

  override def canonicalized: BroadcastMode = this
}
