package org.apache.spark.sql.broadhead.shuffle

import scala.collection.mutable

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.RangePartitioner
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.broadhead.encoding.{ExpressionEncoder, Json, SortOrders}
import org.apache.spark.sql.broadhead.fragment.{FragmentEncoder, FragmentOperator}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.RangePartitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.LongType
import org.apache.spark.util.random.SamplingUtils

/** Bounds of ranges with about the same number of rows, from a sample drawn like Spark's. */
private[broadhead] object RangeBounds {
  private val MaxSample = 20000
  private val Seed = 42L

  /** The bounds for an exchange: rows of the values of its sort orders, ascending. */
  def of(exchange: BroadheadShuffleExchange): Seq[InternalRow] = {
    val (order, partitions) = exchange.outputPartitioning match {
      case RangePartitioning(ordering, count) => ordering -> count
      case other => throw new IllegalStateException(s"$other has no ranges")
    }
    val perPartition = exchange.conf.rangeExchangeSampleSizePerPartition.toLong
    val size = math.min(perPartition * partitions, MaxSample.toLong).toInt
    val drawn = BroadheadRangeSample(order, size, Seed, exchange.child).executeCollect()
    val candidates = mutable.ArrayBuffer.empty[(InternalRow, Float)]
    drawn.foreach { row =>
      candidates += row -> math.max(1f, row.getLong(order.length).toFloat / size)
    }
    if (candidates.isEmpty) {
      Nil
    } else {
      RangePartitioner
        .determineBounds(candidates, math.min(partitions, candidates.length))(
          orderingOf(order),
          implicitly)
        .toSeq
        // The order of the rows does not matter, if it is the same for all tasks.
        .filter(ShufflePartitionings.encodeBound(_, order).isDefined)
    }
  }

  def orderingOf(order: Seq[SortOrder]): LazilyGeneratedOrdering =
    new LazilyGeneratedOrdering(order.zipWithIndex.map { case (key, ordinal) =>
      key.copy(child = BoundReference(ordinal, key.dataType, nullable = true))
    })
}

/** Random rows of each task: the values of the sort orders, and the number of all rows. */
case class BroadheadRangeSample(order: Seq[SortOrder], size: Int, seed: Long, child: SparkPlan)
    extends UnaryExecNode
    with FragmentOperator {

  override def operatorName: String = "RangeSample"

  @transient override lazy val original: SparkPlan =
    BroadheadReplaySample(order, size, seed, output, FragmentEncoder.originalOf(child))

  override lazy val output: Seq[Attribute] =
    order.zipWithIndex.map { case (key, ordinal) =>
      AttributeReference(s"key$ordinal", key.dataType)()
    } :+ AttributeReference("count", LongType, nullable = false)()

  override def encodeFields(encoder: ExpressionEncoder): Seq[(String, JsonNode)] = Seq(
    "order" -> SortOrders.encode(order, encoder, child.output),
    "size" -> Json.number(size.toLong),
    "seed" -> Json.number(seed))

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadRangeSample =
    copy(child = newChild)
}

/** The same for Spark's rows. */
private[broadhead] case class BroadheadReplaySample(
    order: Seq[SortOrder],
    size: Int,
    seed: Long,
    override val output: Seq[Attribute],
    child: SparkPlan)
    extends UnaryExecNode {

  protected override def doExecute(): RDD[InternalRow] = {
    val (keys, input, wanted, from) = (order.map(_.child), child.output, size, seed)
    child.execute().mapPartitionsInternal { rows =>
      val project = UnsafeProjection.create(keys, input)
      val copies = rows.map(row => project(row).copy(): InternalRow)
      val (drawn, count) = SamplingUtils.reservoirSampleAndCount(copies, wanted, from)
      val join = new JoinedRow
      val write = UnsafeProjection.create(output.map(_.dataType).toArray)
      val total = InternalRow(count)
      drawn.iterator.map(row => write(join(row, total)))
    }
  }

  protected override def withNewChildInternal(newChild: SparkPlan): BroadheadReplaySample =
    copy(child = newChild)
}
