package org.apache.spark.sql.broadhead.encoding

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions.{Ascending, AttributeSeq, NullsFirst, SortOrder}
import org.apache.spark.sql.execution.SortPrefixUtils
import org.apache.spark.sql.internal.SQLConf

/** Spark's sort orders in the wire format. */
private[broadhead] object SortOrders {

  /** Why the engine cannot sort by this order. */
  def reasons(order: SortOrder, support: ExpressionSupport): Seq[String] =
    if (TypeNames.holdsMap(order.dataType)) {
      Seq(s"a sort key of type ${order.dataType.simpleString} is not supported")
    } else {
      support.reasons(order.child)
    }

  /** Whether `SortExec` sorts by radix and so moves rows with equal keys where a key is null. */
  def areMovedByNulls(orders: Seq[SortOrder]): Boolean =
    SQLConf.get.enableRadixSort && haveRadix(orders)

  /** Whether such a sort is possible: the prefix of the one key says all about it. */
  def haveRadix(orders: Seq[SortOrder]): Boolean =
    orders.sizeIs == 1 && orders.head.nullable &&
      SortPrefixUtils.canSortFullyWithPrefix(orders.head)

  def encode(orders: Seq[SortOrder], encoder: ExpressionEncoder, input: AttributeSeq): JsonNode =
    Json.array(orders.map { order =>
      Json.obj(
        "expression" -> encoder.encode(order.child, input),
        "ascending" -> Json.bool(order.direction == Ascending),
        "nullsFirst" -> Json.bool(order.nullOrdering == NullsFirst))
    })
}
