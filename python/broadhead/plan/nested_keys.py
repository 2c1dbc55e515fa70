"""Keys of nested types, or of strings that have a collation, as keys that the kernels have.

The kernels group, join and sort by values of atomic types only, and strings by their bytes. Where a
key is an array, a struct or a string of another order, an expression takes its place that gives a
binary for each value, and operators, spill files among them, see nothing but the binary. The roles
of a node's fields say what it compares.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from broadhead.plan.collation_keys import collation_keys
from broadhead.plan.expressions import COMPARABLE, Call
from broadhead.plan.roles import Compared
from broadhead.plan.traversal import map_expressions, with_children
from broadhead.types import BINARY

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Fragment, Node
    from broadhead.plan.roles import Role


def bind_nested_keys(fragment: Fragment) -> Fragment:
    """The fragment with binaries for keys that the kernels do not have."""
    return replace(fragment, root=_bound(fragment.root))


def _bound(node: Node) -> Node:
    keyed = map_expressions(node, _key)
    bound = node if keyed is node else node.with_keys(keyed)
    return with_children(bound, map(_bound, node.children))


def _key(expression: Expression, role: Role) -> Expression:
    match role.compared:
        case Compared.NO:
            return expression
        case Compared.HASHED:
            return collation_keys(expression, ordering=False)
        case Compared.EQUAL:
            return comparable(expression, ordering=False)
        case Compared.ORDERED:
            return comparable(expression, ordering=True)


def comparable(key: Expression, *, ordering: bool) -> Expression:
    """The key where the kernels compare it as it is, else the expression that gives its binary.

    `ordering`: whether they are to tell which key is less.
    """
    keyed = collation_keys(key, ordering=ordering)
    return Call(COMPARABLE, BINARY, key.nullable, (keyed,)) if keyed.type.is_nested else keyed
