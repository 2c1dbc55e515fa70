package org.apache.spark.sql.broadhead.encoding

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.catalyst.expressions.{Ascending, AttributeSeq, NullsFirst, SortOrder}

/** Spark's sort orders in the wire format. */
private[broadhead] object SortOrders {

  /** Why the engine cannot sort by this order. */
  def reasons(order: SortOrder, support: ExpressionSupport): Seq[String] =
    if (TypeNames.holdsMap(order.dataType)) {
      Seq(s"a sort key of type ${order.dataType.simpleString} is not supported")
    } else {
      support.reasons(order.child)
    }

  def encode(orders: Seq[SortOrder], encoder: ExpressionEncoder, input: AttributeSeq): JsonNode =
    Json.array(orders.map { order =>
      Json.obj(
        "expression" -> encoder.encode(order.child, input),
        "ascending" -> Json.bool(order.direction == Ascending),
        "nullsFirst" -> Json.bool(order.nullOrdering == NullsFirst))
    })
}
