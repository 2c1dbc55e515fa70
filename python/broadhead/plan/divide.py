"""Whether a fragment's splits may be divided among runs whose outputs are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.plan.traversal import walk

if TYPE_CHECKING:
    from broadhead.plan.nodes import Node


def is_divisible(root: Node) -> bool:
    """True for a partial aggregation of a scan, and for a shuffle of such rows or of a scan's.

    The scan's rows may be joined with broadcasts.

    Buffers are merged by a later phase anyway, so it does not matter how many rows a group has,
    nor, but for `first` and `last`, in which order they come; nor does the order of the rows that a
    shuffle sends, if what partition a row goes to does not depend on it. Other fragments have an
    order, or finish their groups themselves.
    """
    return root.is_divisible and any(node.gives_any_order for node in walk(root))
