"""Column pruning: each node gives only the columns that something above it reads.

Spark prunes between operators that have a projection; within a fragment a filter would still copy
the columns that only its own condition needs, and a scan would read those that only a dropped
column needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import TypeVar

from broadhead.plan import nodes
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal

T = TypeVar("T")

Ordinals = Mapping[int, int]
"""Old ordinal to new ordinal."""


def prune(fragment: nodes.Fragment) -> nodes.Fragment:
    """The fragment without the columns that nothing reads; the root's output stays."""
    root = fragment.root
    pruned, _ = _prune(root, tuple(range(len(root.output))))
    return replace(fragment, root=pruned)


@singledispatch
def _prune(node: nodes.Node, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    """The node with at least the `required` columns (ascending), and where each went."""
    raise TypeError(f"no pruning rule for {type(node).__name__}")


@_prune.register(nodes.RowSource)
def _(node: nodes.RowSource, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    return node, _positions(range(len(node.output)))


@_prune.register(nodes.ParquetScan)
def _(node: nodes.ParquetScan, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    # `filters` keep their ordinals: they refer to `filter_columns`, not to what is read.
    data = len(node.data_columns)
    return (
        replace(
            node,
            output=_at(node.output, required),
            data_columns=_at(node.data_columns, [i for i in required if i < data]),
            partition_columns=_at(
                node.partition_columns, [i - data for i in required if i >= data]
            ),
            partition_ordinals=_at(
                node.partition_ordinals, [i - data for i in required if i >= data]
            ),
        ),
        _positions(required),
    )


@_prune.register(nodes.Filter)
def _(node: nodes.Filter, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    needed = _union(required, references([node.condition]))
    child, moved = _prune(node.child, needed)
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            condition=rebind(node.condition, moved),
            keep=tuple(moved[i] for i in required),
        ),
        _positions(required),
    )


@_prune.register(nodes.Project)
def _(node: nodes.Project, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    kept = _at(node.expressions, required)
    child, moved = _prune(node.child, references(kept))
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            expressions=tuple(rebind(expression, moved) for expression in kept),
        ),
        _positions(required),
    )


@_prune.register(nodes.HashAggregate)
def _(node: nodes.HashAggregate, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    read = [*node.grouping]
    ordinals: set[int] = set()
    for call in node.aggregates:
        read += [*call.children, *([call.filter] if call.filter is not None else [])]
        if not call.updates:
            ordinals |= {b.ordinal for b in call.buffers if b.ordinal is not None}
    child, moved = _prune(node.child, _union(references(read), ordinals))
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            grouping=tuple(rebind(expression, moved) for expression in node.grouping),
            aggregates=tuple(_rebind_aggregate(call, moved) for call in node.aggregates),
            results=_at(node.results, required),
        ),
        _positions(required),
    )


def _rebind_aggregate(call: nodes.AggregateCall, moved: Ordinals) -> nodes.AggregateCall:
    buffers = call.buffers
    if not call.updates:
        buffers = tuple(
            replace(b, ordinal=moved[b.ordinal] if b.ordinal is not None else None) for b in buffers
        )
    return replace(
        call,
        children=tuple(rebind(child, moved) for child in call.children),
        filter=rebind(call.filter, moved) if call.filter is not None else None,
        buffers=buffers,
    )


def references(expressions: Iterable[Expression]) -> tuple[int, ...]:
    """The ordinals that the expressions read, ascending."""
    found: set[int] = set()
    waiting = list(expressions)
    while waiting:
        match waiting.pop():
            case BoundReference(ordinal):
                found.add(ordinal)
            case Call(children=children):
                waiting += children
    return tuple(sorted(found))


def rebind(expression: Expression, moved: Ordinals) -> Expression:
    """The expression over columns that have moved."""
    match expression:
        case BoundReference(ordinal):
            return replace(expression, ordinal=moved[ordinal])
        case Call(children=children):
            return replace(expression, children=tuple(rebind(c, moved) for c in children))
        case Literal():
            return expression


def _at(items: Sequence[T], ordinals: Iterable[int]) -> tuple[T, ...]:
    return tuple(items[i] for i in ordinals)


def _positions(ordinals: Iterable[int]) -> Ordinals:
    return {ordinal: position for position, ordinal in enumerate(ordinals)}


def _union(left: Iterable[int], right: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({*left, *right}))
