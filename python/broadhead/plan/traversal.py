"""Traversal and rebuilding of any node: its children, and its expressions and ordinals.

This module depends on no class of nodes. The content of a node follows from its dataclass fields,
from the tuples and dataclasses in them, and from the roles of the fields.
"""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import repeat
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

from broadhead.plan.expressions import ROW_COUNTER, BoundReference, Call, Expression, Literal
from broadhead.plan.roles import Over, Role, role_inside, role_of
from broadhead.types import DataType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from broadhead.plan.nodes import Node

    _Roles = tuple[tuple[str, Role], ...]

N = TypeVar("N", bound="Node")

Leaf = Expression | int
"""A whole expression, such as a key or a condition, or one ordinal in a field of ordinals."""

_EXPRESSIONS = frozenset({BoundReference, Call, Literal})

_COMMON = frozenset({"id", "output", "children"})
"""Fields of every node, which hold no expressions of its own."""

# computed once for each class, since every task traverses its nodes several times
_roles_of_nodes: dict[type[Node], _Roles] = {}
_roles_of_parts: dict[tuple[type[Any], Role], _Roles] = {}


def walk(root: Node) -> Iterator[Node]:
    """The node and all nodes below it, each before its children."""
    yield root
    for child in root.children:
        yield from walk(child)


def find(root: Node, kind: type[N]) -> Iterator[N]:
    """The nodes of a class among the node and all nodes below it."""
    return (node for node in walk(root) if isinstance(node, kind))


def with_children(node: N, children: Iterable[Node]) -> N:
    """The node over other children; the same object if they are its own."""
    new = tuple(children)
    return node if all(map(is_, new, node.children)) else replace(node, children=new)


def expressions(node: Node) -> Iterator[Expression]:
    """The whole expressions of the node itself."""
    return (leaf for leaf, _ in leaves(node) if not isinstance(leaf, int))


def leaves(node: Node) -> Sequence[tuple[Leaf, Role]]:
    """All leaves of the node itself, each with its role."""
    found: list[tuple[Leaf, Role]] = []
    for name, role in _roles(node):
        _collect(getattr(node, name), role, found)
    return found


def map_expressions(node: N, change: Callable[[Expression, Role], Expression]) -> N:
    """The node with changed expressions; the same object if none has changed."""
    return map_leaves(
        node, lambda leaf, role: leaf if isinstance(leaf, int) else change(leaf, role)
    )


def map_leaves(node: N, change: Callable[[Leaf, Role], Leaf]) -> N:
    """The node with changed leaves; the same object if none has changed."""
    changed: N = _changed(node, _roles(node), change)
    return changed


def references(expressions: Iterable[Expression]) -> tuple[int, ...]:
    """The ordinals that the expressions read, ascending."""
    found: set[int] = set()
    waiting = list(expressions)
    while waiting:
        match waiting.pop():
            case BoundReference(ordinal):
                found.add(ordinal)
            case Call(children=children):
                waiting += children
    return tuple(sorted(found))


def has_counter(expression: Expression) -> bool:
    """Whether the expression counts the rows for which it is evaluated."""
    return isinstance(expression, Call) and (
        expression.name == ROW_COUNTER or any(map(has_counter, expression.children))
    )


def rebind(expression: Expression, moved: Mapping[int, int]) -> Expression:
    """The expression with new ordinals, by a map from old ordinals."""
    match expression:
        case BoundReference(ordinal):
            return replace(expression, ordinal=moved[ordinal])
        case Call(children=children):
            return replace(expression, children=tuple(rebind(c, moved) for c in children))
        case Literal():
            return expression


def _roles(node: Node) -> _Roles:
    kind = type(node)
    found = _roles_of_nodes.get(kind)
    if found is None:
        found = tuple((f.name, role_of(f)) for f in fields(kind) if f.name not in _COMMON)
        _roles_of_nodes[kind] = found
    return found


def _roles_inside(value: Any, outer: Role) -> _Roles:
    """The roles of a dataclass's fields, where it stands in a field with the role `outer`."""
    key = (type(value), outer)
    found = _roles_of_parts.get(key)
    if found is None:
        found = tuple((f.name, role_inside(outer, f)) for f in fields(value))
        _roles_of_parts[key] = found
    return found


def _collect(value: Any, role: Role, found: list[tuple[Leaf, Role]]) -> None:
    if _is_leaf(value, role):
        found.append((value, role))
    elif isinstance(value, tuple):
        for item, inner in zip(value, _roles_of_items(value, role), strict=False):
            _collect(item, inner, found)
    elif _has_fields(value):
        for name, inner in _roles_inside(value, role):
            _collect(getattr(value, name), inner, found)


def _mapped(value: Any, role: Role, change: Callable[[Leaf, Role], Leaf]) -> Any:
    if _is_leaf(value, role):
        return change(value, role)
    if isinstance(value, tuple):
        roles = _roles_of_items(value, role)
        items = [_mapped(*pair, change) for pair in zip(value, roles, strict=False)]
        return value if all(map(is_, items, value)) else tuple(items)
    if _has_fields(value):
        return _changed(value, _roles_inside(value, role), change)
    return value


def _changed(value: Any, roles: _Roles, change: Callable[[Leaf, Role], Leaf]) -> Any:
    different = {}
    for name, role in roles:
        old = getattr(value, name)
        new = _mapped(old, role, change)
        if new is not old:
            different[name] = new
    return replace(value, **different) if different else value


def _is_leaf(value: Any, role: Role) -> bool:
    return type(value) is int if role.ordinals else type(value) in _EXPRESSIONS


def _roles_of_items(items: tuple[Any, ...], role: Role) -> Iterable[Role]:
    if role.over is Over.EACH_CHILD:
        return [replace(role, over=number) for number in range(len(items))]
    return repeat(role)


def _has_fields(value: Any) -> bool:
    return hasattr(value, "__dataclass_fields__") and not isinstance(value, DataType)
