"""Whether a fragment's splits may be divided among runs whose outputs are combined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.plan.traversal import walk

if TYPE_CHECKING:
    from broadhead.plan.nodes import Node


def is_divisible(root: Node) -> bool:
    """True for a partial aggregation of a scan, and for a shuffle of its rows or of a scan's rows.

    The scan's rows may be joined with broadcasts.

    A later phase merges the buffers, so the number of rows of a group does not matter, and neither
    does their order, except for `first` and `last`. The order of the rows that a shuffle sends does
    not matter either, if the partition of a row does not depend on it. Other fragments have an
    order, or finish their groups themselves.
    """
    return root.is_divisible and any(node.gives_any_order for node in walk(root))
