"""Decoding of the nodes that read and write shuffles and broadcasts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from broadhead.errors import Unsupported
from broadhead.plan import exchanges
from broadhead.plan.expressions import Expression, Literal
from broadhead.plan.sort_order import SortOrder
from broadhead.types import DataType

if TYPE_CHECKING:
    from broadhead.plan.nodes import Node

Json = Mapping[str, Any]
DecodeExpression = Callable[[Json], Expression]
DecodeOrder = Callable[[Json], SortOrder]
DecodeValue = Callable[[Any, DataType], Any]


def decode_shuffle_read(message: Json, common: dict[str, Any]) -> Node:
    """The node with all columns."""
    return exchanges.ShuffleRead(**_source(message, common))


def decode_broadcast_read(message: Json, common: dict[str, Any]) -> Node:
    """The node with all columns."""
    fields = _source(message, common)
    if message["rowIds"]:
        fields["types"] = fields["types"][:-1]
    return exchanges.BroadcastRead(**fields)


def _source(message: Json, common: dict[str, Any]) -> dict[str, Any]:
    types = tuple(attribute.type for attribute in common["output"])
    source = message["source"]
    return {**common, "source": source, "types": types, "wanted": tuple(range(len(types)))}


def decode_partitioning(
    message: Json, expression: DecodeExpression, order: DecodeOrder, value: DecodeValue
) -> exchanges.Partitioning:
    """The partitioning; raises `Unsupported` for an unknown kind."""
    kind, partitions = message["kind"], message["partitions"]
    if kind == "hash":
        return exchanges.HashPartitioning(
            partitions, tuple(map(expression, message["expressions"]))
        )
    if kind == "range":
        orders = tuple(map(order, message["order"]))
        types = [o.expression.type for o in orders]
        bounds = tuple(
            tuple(Literal(value(v, t), t) for v, t in zip(bound, types, strict=True))
            for bound in message["bounds"]
        )
        return exchanges.RangePartitioning(partitions, orders, bounds)
    if kind == "roundRobin":
        return exchanges.RoundRobinPartitioning(partitions)
    if kind == "single":
        return exchanges.SinglePartition()
    raise Unsupported(f"partitioning {kind} is not known to this version of the engine")
