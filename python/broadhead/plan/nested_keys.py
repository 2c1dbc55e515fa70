"""Keys of nested types, or of strings that have a collation, as keys that the kernels have.

The kernels group, join and sort by values of atomic types only, and strings by their bytes. Where a
key is an array, a struct or a string of another order, an expression takes its place that gives a
binary for each value, and operators, spill files among them, see nothing but the binary.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING

from broadhead.plan import exchanges, joins, nodes, windows
from broadhead.plan.collation_keys import collation_keys
from broadhead.plan.expressions import Call, Expression
from broadhead.plan.prune import rebind
from broadhead.types import BINARY, BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broadhead.plan.sort_order import SortOrder

COMPARABLE = "Comparable"
"""The call of one nested value that gives its binary; no expression of Spark's."""


def bind_nested_keys(fragment: nodes.Fragment) -> nodes.Fragment:
    """The fragment with binaries for keys that the kernels do not have."""
    return replace(fragment, root=_bound(fragment.root))


def _bound(node: nodes.Node) -> nodes.Node:
    bound = _with_keys(node)
    return replace(bound, children=tuple(map(_bound, bound.children)))


@singledispatch
def _with_keys(node: nodes.Node) -> nodes.Node:
    return node


@_with_keys.register
def _(node: joins.HashJoin) -> nodes.Node:
    return replace(node, left_keys=_keys(node.left_keys), right_keys=_keys(node.right_keys))


@_with_keys.register
def _(node: nodes.Sort) -> nodes.Node:
    return replace(node, order=_orders(node.order))


@_with_keys.register(windows.Window)
@_with_keys.register(windows.WindowGroupLimit)
def _(node: windows.Window | windows.WindowGroupLimit) -> nodes.Node:
    return replace(node, partition=_keys(node.partition), order=_orders(node.order))


@_with_keys.register
def _(node: exchanges.ShuffleWrite) -> nodes.Node:
    return replace(node, partitioning=_partitioned(node.partitioning))


def _partitioned(partitioning: exchanges.Partitioning) -> exchanges.Partitioning:
    """Hashes take nested values as they are."""
    match partitioning:
        case exchanges.HashPartitioning(expressions=expressions):
            keys = (collation_keys(key, ordering=False) for key in expressions)
            return replace(partitioning, expressions=tuple(keys))
        case exchanges.RangePartitioning(order=order, bounds=bounds):
            compared = (
                tuple(comparable(part, ordering=True) for part in bound) for bound in bounds
            )
            return replace(partitioning, order=_orders(order), bounds=tuple(compared))
    return partitioning


@_with_keys.register
def _(node: nodes.HashAggregate) -> nodes.Node:
    """Any value of a group stands for it: the first one is kept beside the aggregates' buffers."""
    grouping = _keys(node.grouping)
    bound = [place for place, key in enumerate(node.grouping) if grouping[place] is not key]
    if not bound:
        return node
    width = len(node.grouping) + sum(_columns(call) for call in node.aggregates)
    moved = {place: place for place in range(width)}
    moved |= {place: width + number for number, place in enumerate(bound)}
    return replace(
        node,
        grouping=grouping,
        aggregates=(*node.aggregates, *(_first(node.grouping[place]) for place in bound)),
        results=tuple(rebind(expression, moved) for expression in node.results),
    )


def _columns(call: nodes.AggregateCall) -> int:
    """How many columns of the aggregated row are the aggregate's."""
    return 1 if call.finishes else len(call.buffers)


def _first(key: Expression) -> nodes.AggregateCall:
    return nodes.AggregateCall(
        name="First",
        mode="Complete",
        distinct=False,
        type=key.type,
        nullable=key.nullable,
        fields=(("ignore_nulls", False),),
        argument_types=(key.type,),
        children=(key,),
        filter=None,
        buffers=(
            nodes.BufferAttribute(key.type, key.nullable, None),
            nodes.BufferAttribute(BOOLEAN, False, None),
        ),
    )


def _keys(keys: Iterable[Expression]) -> tuple[Expression, ...]:
    return tuple(comparable(key, ordering=False) for key in keys)


def _orders(orders: Iterable[SortOrder]) -> tuple[SortOrder, ...]:
    return tuple(
        replace(order, expression=comparable(order.expression, ordering=True)) for order in orders
    )


def comparable(key: Expression, *, ordering: bool) -> Expression:
    """The key where the kernels compare it as it is, else the expression that gives its binary.

    `ordering`: whether they are to tell which key is less.
    """
    keyed = collation_keys(key, ordering=ordering)
    return Call(COMPARABLE, BINARY, key.nullable, (keyed,)) if keyed.type.is_nested else keyed
