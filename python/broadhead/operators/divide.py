"""Whether a fragment's splits may be divided among runs whose outputs are combined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.aggregate.aggregate_calls import entry_of
from broadhead.plan.nodes import HashAggregate
from broadhead.plan.traversal import find, walk

if TYPE_CHECKING:
    from broadhead.plan.nodes import AggregateCall, Node


def is_divisible(root: Node) -> bool:
    """True for a partial aggregation of a scan, and for a shuffle of its rows or of a scan's rows.

    The scan's rows may be joined with broadcasts.

    A later phase merges the buffers, so the number of rows of a group does not matter, and neither
    does their order, except for functions that depend on it. The order of the rows that a shuffle
    sends does not matter either, if the partition of a row does not depend on it. Other fragments
    have an order, or finish their groups themselves.
    """
    calls = (call for node in find(root, HashAggregate) for call in node.aggregates)
    return (
        root.is_divisible
        and any(node.gives_any_order for node in walk(root))
        and not any(map(_depends_on_order, calls))
    )


def _depends_on_order(call: AggregateCall) -> bool:
    entry = entry_of(call)
    return entry.takes_one_row or entry.depends_on_order
