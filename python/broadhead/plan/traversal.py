"""Walking and rebuilding of any node: its children, and the expressions and ordinals it holds.

No class of nodes is known here. What a node holds follows from its dataclass fields, from the
tuples and dataclasses in them, and from the roles of the fields.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.plan.roles import Over, Role, role_inside, role_of
from broadhead.types import DataType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from broadhead.plan.nodes import Node

    _Roles = tuple[tuple[str, Role], ...]

N = TypeVar("N", bound="Node")

Leaf = Expression | int
"""A whole expression, such as a key or a condition, or one ordinal in a field of ordinals."""

_COMMON = frozenset({"id", "output", "children"})
"""Fields of every node, which hold no expressions of its own."""

# found once for each class, since every task walks its nodes several times
_roles_of_nodes: dict[type[Node], _Roles] = {}
_roles_of_parts: dict[tuple[type[Any], Role], _Roles] = {}


def walk(root: Node) -> Iterator[Node]:
    """The node and all nodes below it, each before its children."""
    yield root
    for child in root.children:
        yield from walk(child)


def find(root: Node, kind: type[N]) -> Iterator[N]:
    """Those of a kind among the node and all nodes below it."""
    return (node for node in walk(root) if isinstance(node, kind))


def with_children(node: N, children: Iterable[Node]) -> N:
    """The node over other children."""
    return replace(node, children=tuple(children))


def expressions(node: Node) -> Iterator[Expression]:
    """The whole expressions that the node itself holds."""
    return (leaf for leaf, _ in leaves(node) if not isinstance(leaf, int))


def leaves(node: Node) -> Iterator[tuple[Leaf, Role]]:
    """All leaves that the node itself holds, each with its role."""
    for name, role in _roles(node):
        yield from _leaves(getattr(node, name), role)


def map_expressions(node: N, change: Callable[[Expression, Role], Expression]) -> N:
    """The node with changed expressions; the same object where none has changed."""
    return map_leaves(
        node, lambda leaf, role: leaf if isinstance(leaf, int) else change(leaf, role)
    )


def map_leaves(node: N, change: Callable[[Leaf, Role], Leaf]) -> N:
    """The node with changed leaves; the same object where none has changed."""
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


def rebind(expression: Expression, moved: Mapping[int, int]) -> Expression:
    """The expression over columns that have moved, from old ordinals to new ones."""
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


def _leaves(value: Any, role: Role) -> Iterator[tuple[Leaf, Role]]:
    if _is_leaf(value, role):
        yield value, role
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _leaves(item, _of_item(role, number))
    elif _has_fields(value):
        for name, inner in _roles_inside(value, role):
            yield from _leaves(getattr(value, name), inner)


def _mapped(value: Any, role: Role, change: Callable[[Leaf, Role], Leaf]) -> Any:
    if _is_leaf(value, role):
        return change(value, role)
    if isinstance(value, tuple):
        items = [_mapped(v, _of_item(role, n), change) for n, v in enumerate(value)]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else tuple(items)
    if _has_fields(value):
        return _changed(value, _roles_inside(value, role), change)
    return value


def _changed(value: Any, roles: _Roles, change: Callable[[Leaf, Role], Leaf]) -> Any:
    new = {name: _mapped(getattr(value, name), role, change) for name, role in roles}
    different = {name: item for name, item in new.items() if item is not getattr(value, name)}
    return replace(value, **different) if different else value


def _is_leaf(value: Any, role: Role) -> bool:
    if role.ordinals:
        return isinstance(value, int)
    return isinstance(value, BoundReference | Call | Literal)


def _of_item(role: Role, number: int) -> Role:
    return replace(role, over=number) if role.over is Over.EACH_CHILD else role


def _has_fields(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, DataType | type)
