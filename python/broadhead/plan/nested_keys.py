"""Keys of nested types as keys that the kernels have.

The kernels group, join and sort by values of atomic types only. Where a key is an array or a
struct, an expression takes its place that gives a binary for each value, and operators, spill files
among them, see nothing but the binary.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING

from broadhead.plan import joins, nodes, windows
from broadhead.plan.expressions import Call, Expression
from broadhead.plan.prune import rebind
from broadhead.types import BINARY, BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broadhead.plan.sort_order import SortOrder

COMPARABLE = "Comparable"
"""The call of one nested value that gives its binary; no expression of Spark's."""


def bind_nested_keys(fragment: nodes.Fragment) -> nodes.Fragment:
    """The fragment with binaries for nested keys."""
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
def _(node: nodes.HashAggregate) -> nodes.Node:
    """Any value of a group stands for it: the first one is kept beside the aggregates' buffers."""
    nested = [place for place, key in enumerate(node.grouping) if key.type.is_nested]
    if not nested:
        return node
    width = len(node.grouping) + sum(_columns(call) for call in node.aggregates)
    moved = {place: place for place in range(width)}
    moved |= {place: width + number for number, place in enumerate(nested)}
    return replace(
        node,
        grouping=_keys(node.grouping),
        aggregates=(*node.aggregates, *(_first(node.grouping[place]) for place in nested)),
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
    return tuple(map(comparable, keys))


def _orders(orders: Iterable[SortOrder]) -> tuple[SortOrder, ...]:
    return tuple(replace(order, expression=comparable(order.expression)) for order in orders)


def comparable(key: Expression) -> Expression:
    """The key where its type is atomic, else the expression that gives its binary."""
    return Call(COMPARABLE, BINARY, key.nullable, (key,)) if key.type.is_nested else key
