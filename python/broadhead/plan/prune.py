"""Column pruning: each node gives only the columns that something above it reads.

Spark prunes between operators that have a projection; within a fragment a filter would still copy
the columns that only its own condition needs, and a scan would read those that only a dropped
column needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING, TypeVar

from broadhead.plan import exchanges, joins, nodes, row_nodes, windows
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal

if TYPE_CHECKING:
    from broadhead.plan.sort_order import SortOrder

T = TypeVar("T")
J = TypeVar("J", bound=joins.Join)

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


@_prune.register(exchanges.ShuffleRead)
@_prune.register(exchanges.BroadcastRead)
def _(
    node: exchanges.ShuffleRead | exchanges.BroadcastRead, required: Sequence[int]
) -> tuple[nodes.Node, Ordinals]:
    output, wanted = _at(node.output, required), _at(node.wanted, required)
    return replace(node, output=output, wanted=wanted), _positions(required)


@_prune.register(exchanges.ShuffleWrite)
def _(node: exchanges.ShuffleWrite, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    partitioning = node.partitioning
    read: tuple[int, ...] = ()
    if isinstance(partitioning, exchanges.HashPartitioning):
        read = references(partitioning.expressions)
    elif isinstance(partitioning, exchanges.RangePartitioning):
        read = references(order.expression for order in partitioning.order)
    child, moved = _prune(node.child, _union(required, read))
    if isinstance(partitioning, exchanges.HashPartitioning):
        expressions = tuple(rebind(e, moved) for e in partitioning.expressions)
        partitioning = replace(partitioning, expressions=expressions)
    elif isinstance(partitioning, exchanges.RangePartitioning):
        partitioning = replace(partitioning, order=rebind_orders(partitioning.order, moved))
    keep = tuple(moved[i] for i in required)
    pruned = replace(node, children=(child,), partitioning=partitioning, keep=keep)
    return pruned, _positions(required)


@_prune.register(exchanges.RangeSample)
def _(node: exchanges.RangeSample, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    child, moved = _prune(node.child, references(order.expression for order in node.order))
    order = rebind_orders(node.order, moved)
    return replace(node, children=(child,), order=order), _positions(range(len(node.output)))


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


@_prune.register(nodes.Sort)
def _(node: nodes.Sort, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    read = references(order.expression for order in node.order)
    child, moved = _prune(node.child, _union(required, read))
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            order=rebind_orders(node.order, moved),
            keep=tuple(moved[i] for i in required),
        ),
        _positions(required),
    )


@_prune.register(nodes.Limit)
def _(node: nodes.Limit, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    child, moved = _prune(node.child, required)
    return replace(node, children=(child,), output=child.output), moved


@_prune.register(nodes.Union)
def _(node: nodes.Union, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    pruned = [_prune(child, required) for child in node.children]
    return (
        replace(
            node,
            children=tuple(child for child, _ in pruned),
            output=_at(node.output, required),
            keep=tuple(tuple(moved[i] for i in required) for _, moved in pruned),
        ),
        _positions(required),
    )


@_prune.register(joins.HashJoin)
def _(node: joins.HashJoin, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    joined, (left, right), given = _prune_join(node, required, node.left_keys, node.right_keys)
    return (
        replace(
            joined,
            left_keys=tuple(rebind(key, left) for key in node.left_keys),
            right_keys=tuple(rebind(key, right) for key in node.right_keys),
        ),
        given,
    )


@_prune.register(joins.NestedLoopJoin)
def _(node: joins.NestedLoopJoin, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    joined, _, given = _prune_join(node, required, (), ())
    return joined, given


def _prune_join(
    node: J,
    required: Sequence[int],
    left_keys: Sequence[Expression],
    right_keys: Sequence[Expression],
) -> tuple[J, tuple[Ordinals, Ordinals], Ordinals]:
    """The join, where each side's columns went, and where the output's went."""
    width = len(node.children[0].output)
    read = references([node.condition] if node.condition is not None else [])
    left_keep = [i for i in required if i < width]
    right_keep = [i - width for i in required if i >= width and node.gives_right]
    left, left_moved = _prune(
        node.children[0],
        _union([*left_keep, *(i for i in read if i < width)], references(left_keys)),
    )
    right, right_moved = _prune(
        node.children[1],
        _union([*right_keep, *(i - width for i in read if i >= width)], references(right_keys)),
    )
    moved = {**left_moved, **{i + width: n + len(left.output) for i, n in right_moved.items()}}
    # the flag of an existence join is always there
    flag = [len(node.output) - 1] if node.join_type == "ExistenceJoin" else []
    given = _union(required, flag)
    pruned = replace(
        node,
        children=(left, right),
        output=_at(node.output, given),
        condition=rebind(node.condition, moved) if node.condition is not None else None,
        left_keep=tuple(left_moved[i] for i in left_keep),
        right_keep=tuple(right_moved[i] for i in right_keep),
    )
    return pruned, (left_moved, right_moved), _positions(given)


@_prune.register(windows.Window)
def _(node: windows.Window, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    width = len(node.child.output)
    kept = [i for i in required if i < width]
    functions = _at(node.functions, [i - width for i in required if i >= width])
    read = [*node.partition, *(order.expression for order in node.order)]
    for function in functions:
        read += windows.expressions_of(function)
    child, moved = _prune(node.child, _union(kept, references(read)))
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            partition=tuple(rebind(expression, moved) for expression in node.partition),
            order=rebind_orders(node.order, moved),
            functions=tuple(_rebind_window(function, moved) for function in functions),
            keep=tuple(moved[i] for i in kept),
        ),
        _positions(required),
    )


@_prune.register(windows.WindowGroupLimit)
def _(node: windows.WindowGroupLimit, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    read = references([*node.partition, *(order.expression for order in node.order)])
    child, moved = _prune(node.child, _union(required, read))
    return (
        replace(
            node,
            children=(child,),
            output=child.output,
            partition=tuple(rebind(expression, moved) for expression in node.partition),
            order=rebind_orders(node.order, moved),
        ),
        moved,
    )


def _rebind_window(function: windows.WindowFunction, moved: Ordinals) -> windows.WindowFunction:
    if isinstance(function, windows.AggregateWindow):
        return replace(function, call=_rebind_aggregate(function.call, moved))
    return replace(function, children=tuple(rebind(child, moved) for child in function.children))


@_prune.register(nodes.RowSource)
@_prune.register(row_nodes.Range)
@_prune.register(row_nodes.LocalTable)
def _(node: nodes.Node, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    return node, _positions(range(len(node.output)))


@_prune.register(row_nodes.Sample)
@_prune.register(row_nodes.SampleWithReplacement)
def _(node: nodes.Node, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    child, moved = _prune(node.child, required)
    return replace(node, children=(child,), output=child.output), moved


@_prune.register(row_nodes.Expand)
def _(node: row_nodes.Expand, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    kept = [_at(projection, required) for projection in node.projections]
    child, moved = _prune(node.child, references(e for projection in kept for e in projection))
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            projections=tuple(tuple(rebind(e, moved) for e in projection) for projection in kept),
        ),
        _positions(required),
    )


@_prune.register(row_nodes.Generate)
def _(node: row_nodes.Generate, required: Sequence[int]) -> tuple[nodes.Node, Ordinals]:
    width = len(node.required)
    passed = [node.required[i] for i in required if i < width]
    child, moved = _prune(node.child, _union(passed, references(node.generator.children)))
    children = tuple(rebind(expression, moved) for expression in node.generator.children)
    return (
        replace(
            node,
            children=(child,),
            output=_at(node.output, required),
            generator=replace(node.generator, children=children),
            required=tuple(moved[i] for i in passed),
            keep=tuple(i - width for i in required if i >= width),
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


def rebind_orders(orders: Iterable[SortOrder], moved: Ordinals) -> tuple[SortOrder, ...]:
    """The sort orders over columns that have moved."""
    return tuple(replace(order, expression=rebind(order.expression, moved)) for order in orders)


def _at(items: Sequence[T], ordinals: Iterable[int]) -> tuple[T, ...]:
    return tuple(items[i] for i in ordinals)


def _positions(ordinals: Iterable[int]) -> Ordinals:
    return {ordinal: position for position, ordinal in enumerate(ordinals)}


def _union(left: Iterable[int], right: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({*left, *right}))
