"""Key filters: the keys of a join's build side drop rows of a join further below.

Spark joins in the order of the query. A row of the first join whose key has no match in a later
one was joined in vain, and may have been joined with many rows. The build side of the later join is
read first, so that its keys can filter an input of the first join.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.expressions.call_functions import function_of
from broadhead.plan.exchanges import BroadcastRead, ShuffleRead
from broadhead.plan.expressions import BoundReference, Call
from broadhead.plan.joins import HashJoin, Join
from broadhead.plan.nodes import FileScan, Filter, Project
from broadhead.plan.roles import LEFT, RIGHT
from broadhead.plan.traversal import expressions, find, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Node, Ordinals

_DROPS_STREAM = {
    "right": {"Inner", "RightOuter", "LeftSemi"},
    "left": {"Inner", "LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"},
}
"""Joins without a result for rows of the stream side that have no match, by the build side."""

_DROPPED = {
    LEFT: {"Inner", "LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"},
    RIGHT: {"Inner", "RightOuter"},
}
"""Joins whose results for other rows stay the same without some rows of a side."""

_PLAIN_NODES = (FileScan, ShuffleRead, BroadcastRead, Filter, Project, Join)
"""Nodes without side effects if their expressions have none."""


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Rows are needed only if the build side of `join`, a node's id, has their `keys`."""

    join: int
    keys: Ordinals


def key_filters(root: Node) -> Mapping[int, tuple[KeyFilter, ...]]:
    """The filters of the rows that nodes return, by the nodes' ids."""
    found: dict[int, tuple[KeyFilter, ...]] = {}
    for join in find(root, HashJoin):
        lowest = _lowest(join)
        if lowest is not None:
            node, keys = lowest
            found[node] = (*found.get(node, ()), KeyFilter(join.id, keys))
    return found


def _lowest(join: HashJoin) -> tuple[int, Ordinals] | None:
    """The id of the input of a join furthest below that has the stream keys, and their ordinals."""
    if join.null_aware or join.join_type not in _DROPS_STREAM[join.build_side]:
        return None
    stream, keys = (
        (LEFT, join.left_keys) if join.build_side == "right" else (RIGHT, join.right_keys)
    )
    columns = tuple(key.ordinal for key in keys if isinstance(key, BoundReference))
    if len(columns) < len(keys):
        return None
    lowest = None
    below: tuple[Node, Ordinals] | None = (join.children[stream], columns)
    while below is not None:
        above, (node, columns) = below[0], below
        below = _below(node, columns)
        if below is not None and isinstance(above, Join):
            lowest = (below[0].id, below[1])
    return lowest


def _below(node: Node, columns: Ordinals) -> tuple[Node, Ordinals] | None:
    """The child that has all of these columns, if some of its rows may be dropped."""
    if not all(map(_never_raises, expressions(node))):
        return None
    match node:
        case Join():
            return _side_of(node, columns)
        case Filter(keep=keep):
            return node.child, columns if keep is None else tuple(keep[i] for i in columns)
        case Project():
            read = [node.expressions[i] for i in columns]
            plain = tuple(value.ordinal for value in read if isinstance(value, BoundReference))
            return (node.child, plain) if len(plain) == len(columns) else None
    return None


def _side_of(join: Join, columns: Ordinals) -> tuple[Node, Ordinals] | None:
    left, right = join.children
    left_keep = join.left_keep if join.left_keep is not None else range(len(left.output))
    right_keep = join.right_keep if join.right_keep is not None else range(len(right.output))
    if all(i < len(left_keep) for i in columns):
        side, child, other = LEFT, left, right
        inside = tuple(left_keep[i] for i in columns)
    elif join.gives_right and all(i >= len(left_keep) for i in columns):
        side, child, other = RIGHT, right, left
        inside = tuple(right_keep[i - len(left_keep)] for i in columns)
    else:
        return None
    if join.join_type not in _DROPPED[side]:
        return None
    # Without build rows the stream is not read.
    is_build = join.build_side == ("left" if side == LEFT else "right")
    return (child, inside) if not is_build or _is_plain(other) else None


def _is_plain(root: Node) -> bool:
    """Whether reading the node or not makes no difference to the user."""
    return all(
        isinstance(node, _PLAIN_NODES) and all(map(_never_raises, expressions(node)))
        for node in walk(root)
    )


def _never_raises(expression: Expression) -> bool:
    """Whether it may be left out for a row: it has no error, and no side effect."""
    if not isinstance(expression, Call):
        return True
    function = function_of(expression)
    return (
        function is not None
        and not function.raises
        and all(map(_never_raises, expression.children))
    )
