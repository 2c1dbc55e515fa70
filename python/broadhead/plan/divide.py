"""Whether a fragment's splits may be divided among runs whose outputs are put together."""

from __future__ import annotations

from broadhead.plan import nodes


def is_divisible(node: nodes.Node) -> bool:
    """True for a partial aggregation of a scan.

    Its buffers are merged by a later phase anyway, so it does not matter how many rows a group has
    and in which order they come. Other fragments have an order, or finish their groups themselves.
    """
    return _divides(node) and _aggregates(node)


def _divides(node: nodes.Node) -> bool:
    match node:
        case nodes.ParquetScan():
            return True
        case nodes.Filter() | nodes.Project():
            return _divides(node.child)
        case nodes.HashAggregate(aggregates=calls):
            # Without functions a partial and a final deduplication look the same.
            partial = bool(calls) and all(call.mode == "Partial" for call in calls)
            return partial and not _aggregates(node.child) and _divides(node.child)
    return False


def _aggregates(node: nodes.Node) -> bool:
    return isinstance(node, nodes.HashAggregate) or any(map(_aggregates, node.children))
