"""Where a fragment holds nested values, or compares or hashes them.

The GPU's kernels hand such values over to the host and back, or do not have what is asked for.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from broadhead.plan.expressions import BoundReference, Call, Literal
from broadhead.plan.nested_keys import COMPARABLE
from broadhead.plan.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.plan.expressions import Expression

_HASHES = frozenset({"Murmur3Hash", COMPARABLE})


def uses_nested(node: Node) -> bool:
    """Whether a node or one below it has nested columns or keys, or hashes nested values."""
    if any(attribute.type.is_nested for attribute in node.output):
        return True
    own = (getattr(node, field.name) for field in fields(node) if field.name != "children")
    expressions = [expression for value in own for expression in _expressions(value)]
    return any(e.type.is_nested or _hashes_nested(e) for e in expressions) or any(
        map(uses_nested, node.children)
    )


def _expressions(value: Any) -> Iterator[Expression]:
    """The whole expressions in a field of a node: keys, conditions, arguments of aggregates."""
    if isinstance(value, BoundReference | Call | Literal):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)
    elif is_dataclass(value) and not isinstance(value, type | Node):
        for field in fields(value):
            yield from _expressions(getattr(value, field.name))


def _hashes_nested(expression: Expression) -> bool:
    if not isinstance(expression, Call):
        return False
    hashes = expression.name in _HASHES and any(c.type.is_nested for c in expression.children)
    return hashes or any(map(_hashes_nested, expression.children))
