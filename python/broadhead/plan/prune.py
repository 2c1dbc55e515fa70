"""Column pruning: each node returns only the columns that some node above it reads.

Spark prunes between operators that have a projection; within a fragment a filter would still copy
the columns that only its own condition needs, and a scan would read those that only a dropped
column needs.

A node declares the columns that it can omit (`Node.narrowed`). The columns that it reads of its
children follow from its expressions and ordinals, which are then bound to the remaining columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from broadhead.plan.nodes import PassThrough
from broadhead.plan.roles import Over
from broadhead.plan.traversal import (
    leaves,
    map_leaves,
    rebind,
    references,
    with_children,
)

if TYPE_CHECKING:
    from broadhead.plan.nodes import Fragment, Node
    from broadhead.plan.roles import Role
    from broadhead.plan.traversal import Leaf

Moved = Mapping[int, int]
"""Old ordinal to new ordinal."""


def prune(fragment: Fragment) -> Fragment:
    """The fragment without unused columns; the root's output stays."""
    root = fragment.root
    pruned, _ = _prune(root, range(len(root.output)))
    if isinstance(root, PassThrough):
        # a written column without nulls may be one that the table declares with them
        pruned = replace(pruned, output=root.output)
    return replace(fragment, root=pruned)


def _prune(node: Node, required: Iterable[int]) -> tuple[Node, Moved]:
    """The node with at least the `required` columns, and the new ordinals of its columns."""
    ordinals = tuple(sorted(required))
    if isinstance(node, PassThrough):
        (read,) = _read(node)
        pruned, (moved,) = _with_pruned_children(node, [read.union(ordinals)])
        return replace(pruned, output=pruned.child.output), moved
    narrowed = node.narrowed(ordinals)
    if narrowed is None:
        every = [range(len(child.output)) for child in node.children]
        pruned, _ = _with_pruned_children(node, every)
        return pruned, _positions(range(len(node.output)))
    smaller, given = narrowed
    pruned, _ = _with_pruned_children(smaller, _read(smaller))
    return pruned, _positions(given)


def _with_pruned_children(
    node: Node, required: Sequence[Iterable[int]]
) -> tuple[Node, Sequence[Moved]]:
    """The node over children with the required columns of each, and the new ordinals of these."""
    children, moved = (
        zip(*map(_prune, node.children, required), strict=True) if required else ((), ())
    )
    return with_children(_bound_again(node, children, moved), children), moved


def _read(node: Node) -> list[set[int]]:
    """The ordinals that the node reads of each of its children."""
    read: list[set[int]] = [set() for _ in node.children]
    of_all: set[int] = set()
    for leaf, role in leaves(node):
        if role.over is not Over.OTHER:
            ordinals = [leaf] if isinstance(leaf, int) else references([leaf])
            (read[role.over] if isinstance(role.over, int) else of_all).update(ordinals)
    starts = _starts(node.children)
    for ordinal in of_all:
        child = max(number for number, start in enumerate(starts) if start <= ordinal)
        read[child].add(ordinal - starts[child])
    return read


def _bound_again(node: Node, children: Sequence[Node], moved: Sequence[Moved]) -> Node:
    """The node's expressions and ordinals over the pruned children."""
    starts = zip(_starts(node.children), _starts(children), moved, strict=True)
    of_all = {old + i: new + n for old, new, child in starts for i, n in child.items()}
    if all(old == new for old, new in of_all.items()):
        return node

    def bind(leaf: Leaf, role: Role) -> Leaf:
        if role.over is Over.OTHER:
            return leaf
        columns = moved[role.over] if isinstance(role.over, int) else of_all
        return columns[leaf] if isinstance(leaf, int) else rebind(leaf, columns)

    return map_leaves(node, bind)


def _starts(children: Sequence[Node]) -> list[int]:
    """The ordinal of each child's first column among those of all children."""
    return [0, *accumulate(len(child.output) for child in children)][: len(children)]


def _positions(ordinals: Iterable[int]) -> Moved:
    return {ordinal: position for position, ordinal in enumerate(ordinals)}
