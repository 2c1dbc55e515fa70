"""The order of rows below aggregates that depend on which keys come first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from broadhead.operators.aggregate.aggregate_calls import entry_of
from broadhead.plan.nodes import HashAggregate
from broadhead.plan.row_nodes import Expand
from broadhead.plan.traversal import with_children

if TYPE_CHECKING:
    from broadhead.plan.nodes import Fragment, Node


def keep_row_order(fragment: Fragment) -> Fragment:
    """The fragment with Spark's order of the rows of an Expand, where an aggregate needs it."""
    return replace(fragment, root=_kept(fragment.root, needed=False))


def _kept(node: Node, *, needed: bool) -> Node:
    if isinstance(node, Expand) and needed:
        node = replace(node, row_by_row=True)
    elif isinstance(node, HashAggregate):
        needed = any(entry_of(call).depends_on_order for call in node.aggregates)
    return with_children(node, (_kept(child, needed=needed) for child in node.children))
