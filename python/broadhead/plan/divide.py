"""Whether a fragment's splits may be divided among runs whose outputs are put together."""

from __future__ import annotations

from broadhead.plan import exchanges, joins, nodes, row_nodes


def is_divisible(node: nodes.Node) -> bool:
    """True for a partial aggregation of a scan, and for a shuffle of such rows or of a scan's.

    The scan's rows may be joined with broadcasts.

    Buffers are merged by a later phase anyway, so it does not matter how many rows a group has,
    nor, but for `first` and `last`, in which order they come; nor does the order of the rows that a
    shuffle sends, if what partition a row goes to does not depend on it. Other fragments have an
    order, or finish their groups themselves.
    """
    if isinstance(node, exchanges.ShuffleWrite):
        # a round robin would send rows elsewhere when the task runs a second time
        in_turn = isinstance(node.partitioning, exchanges.RoundRobinPartitioning)
        return not in_turn and _divides(node.child)
    return _divides(node) and _aggregates(node)


def _divides(node: nodes.Node) -> bool:
    match node:
        case nodes.ParquetScan():
            return True
        case nodes.Filter() | nodes.Project() | row_nodes.Expand() | row_nodes.Generate():
            return _divides(node.child)
        case joins.Join():
            return _divides_stream_side(node)
        case nodes.HashAggregate(aggregates=calls):
            # Without functions a partial and a final deduplication look the same.
            partial = bool(calls) and all(map(_is_divided_call, calls))
            return partial and not _aggregates(node.child) and _divides(node.child)
    return False


def _is_divided_call(call: nodes.AggregateCall) -> bool:
    return call.mode == "Partial" and call.name not in {"First", "Last"}


_OUTER_OF_BUILD = {"right": {"RightOuter", "FullOuter"}, "left": {"LeftOuter", "FullOuter"}}
"""Joins that give the build side's rows without a match: only a run that sees all rows can."""


def _divides_stream_side(join: joins.Join) -> bool:
    """True where each run can build the whole of a broadcast and stream its own rows."""
    left, right = join.children
    stream, build = (left, right) if join.build_side == "right" else (right, left)
    if join.build_side == "left" and not join.gives_right:
        return False
    outer = join.join_type in _OUTER_OF_BUILD[join.build_side]
    return not outer and _is_broadcast(build) and _divides(stream)


def _is_broadcast(node: nodes.Node) -> bool:
    while isinstance(node, nodes.Filter | nodes.Project):
        node = node.child
    return isinstance(node, exchanges.BroadcastRead)


def _aggregates(node: nodes.Node) -> bool:
    return isinstance(node, nodes.HashAggregate) or any(map(_aggregates, node.children))
