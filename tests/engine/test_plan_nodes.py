"""Walking, rebuilding and pruning of any node, also of one that says nothing of itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from broadhead.engine import run
from broadhead.plan import decode, exchanges, joins, nodes, row_nodes, windows
from broadhead.plan.prune import prune
from broadhead.plan.roles import Over, role_of
from broadhead.plan.sort_order import SortOrder
from broadhead.plan.traversal import expressions, find, leaves, map_expressions, map_leaves, walk
from broadhead.types import LONG
from engine.fragments import attributes, column


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(nodes.Node):
    """A node that says nothing of itself: it may read whatever its child has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered(nodes.Node):
    """A node that holds what a newcomer may think of."""

    order: tuple[SortOrder, ...]
    limits: tuple[tuple[int, ...], ...]


SOURCE = exchanges.ShuffleRead(
    id=9,
    output=attributes(a=LONG, b=LONG, c=LONG),
    children=(),
    source=0,
    types=(LONG,) * 3,
    wanted=(0, 1, 2),
)


def above(child: nodes.Node, *ordinals: int) -> nodes.Project:
    """A projection that reads these columns."""
    return nodes.Project(
        id=1,
        output=tuple(child.output[ordinal] for ordinal in ordinals),
        children=(child,),
        expressions=tuple(column(ordinal, LONG) for ordinal in ordinals),
    )


def pruned(root: nodes.Node) -> nodes.Node:
    return prune(nodes.Fragment(root, nodes.Settings(), {})).root


def read(root: nodes.Node) -> tuple[int, ...]:
    (found,) = find(pruned(root), exchanges.ShuffleRead)
    return found.wanted


def test_a_node_comes_before_its_children() -> None:
    root = above(Plain(id=2, output=SOURCE.output, children=(SOURCE,)), 0)
    assert [node.id for node in walk(root)] == [1, 2, 9]


def test_a_node_that_says_nothing_reads_all_columns_and_gives_all() -> None:
    plain = Plain(id=2, output=SOURCE.output, children=(SOURCE,))
    assert read(above(plain, 2)) == (0, 1, 2)
    assert list(expressions(pruned(above(plain, 2)))) == [column(2, LONG)]


def test_what_passes_through_is_pruned_below() -> None:
    limit = nodes.Limit(id=2, output=SOURCE.output, children=(SOURCE,), limit=3, offset=0)
    root = pruned(above(limit, 2))
    assert read(above(limit, 2)) == (2,)
    assert root.child.output == SOURCE.output[2:]
    assert list(expressions(root)) == [column(0, LONG)]


def test_an_order_below_a_limit_of_groups_is_read() -> None:
    limit = windows.WindowGroupLimit(
        id=2,
        output=SOURCE.output,
        children=(SOURCE,),
        partition=(),
        order=(SortOrder(column(1, LONG), True, True),),
        rank="Rank",
        limit=1,
    )
    root = pruned(above(limit, 2))
    assert read(above(limit, 2)) == (1, 2)
    assert list(expressions(root.child)) == [column(0, LONG)]
    assert list(expressions(root)) == [column(1, LONG)]


def test_expressions_are_found_in_tuples_and_dataclasses_and_changed_there() -> None:
    order = SortOrder(column(1, LONG), True, True)
    node = Numbered(id=2, output=SOURCE.output, children=(SOURCE,), order=(order,), limits=((7,),))
    assert [leaf for leaf, _ in leaves(node)] == [column(1, LONG)]
    changed = map_expressions(node, lambda _expression, _role: column(2, LONG))
    assert changed.order == (SortOrder(column(2, LONG), True, True),)
    assert changed.limits == ((7,),)


def test_a_node_in_which_nothing_changes_is_the_same_object() -> None:
    node = above(SOURCE, 0, 2)
    assert map_leaves(node, lambda leaf, _role: leaf) is node


KINDS = [
    kind
    for module in (nodes, joins, windows, exchanges, row_nodes)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, nodes.Node)
]
PARTS = {nodes.Node, nodes.PassThrough, joins.Join}
"""Classes of which nodes are made."""


@pytest.mark.parametrize("kind", KINDS)
def test_fields_named_keep_are_known_as_ordinals(kind: type[nodes.Node]) -> None:
    """Those of a generator number its own columns, not those of its child."""
    for field in fields(kind):
        if field.name.endswith("keep") and kind is not row_nodes.Generate:
            assert role_of(field).ordinals, f"{kind.__name__}.{field.name}"
            assert role_of(field).over is not Over.OTHER


def test_every_node_has_a_decoder_a_description_and_an_operator() -> None:
    """The steps of docs/add-operator.md that a fragment needs."""
    names = {kind.__name__ for kind in KINDS if kind not in PARTS}
    page = Path(__file__).parents[2] / "docs" / "wire-format.md"
    described = set(re.findall(r"^\| `(\w+)` \|", page.read_text(), re.MULTILINE))
    steps = {
        "docs/wire-format.md (3)": described,
        "_NODES in plan/decode.py (5)": decode._NODES.keys(),
        "_OPERATORS in engine/run.py (7)": {kind.__name__ for kind in run._OPERATORS},
    }
    for step, known in steps.items():
        missing = sorted(names - known)
        assert not missing, f"{step} does not have {missing}: see docs/add-operator.md"
