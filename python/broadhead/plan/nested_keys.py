"""Conversion of keys of nested types, or of strings with a collation, for the kernels.

The kernels group, join and sort by values of atomic types only, and strings by their bytes. A key
that is an array, a struct or a string with a collation is replaced by an expression that encodes
each value as a binary, and operators and their spill files see only the binary. The roles of a
node's fields say which expressions it compares.
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
    """The fragment with binaries for keys that the kernels cannot compare."""
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
    """The key if the kernels can compare it, else the expression that encodes it as a binary.

    `ordering`: whether the keys are compared by order.
    """
    keyed = collation_keys(key, ordering=ordering)
    return Call(COMPARABLE, BINARY, key.nullable, (keyed,)) if keyed.type.is_nested else keyed
