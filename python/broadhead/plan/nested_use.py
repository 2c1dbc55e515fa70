"""Whether a node has nested values in its columns, or compares or hashes them.

The GPU's kernels pass such values over to the host and back, or do not support the operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.plan.expressions import COMPARABLE, Call
from broadhead.plan.known_functions import HASH
from broadhead.plan.traversal import expressions

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Node

_HASHES = frozenset({HASH, COMPARABLE})


def uses_nested(node: Node) -> bool:
    """Whether the node itself has nested columns or keys, or hashes nested values."""
    return any(attribute.type.is_nested for attribute in node.output) or any(
        e.type.is_nested or _hashes_nested(e) for e in expressions(node)
    )


def _hashes_nested(expression: Expression) -> bool:
    if not isinstance(expression, Call):
        return False
    hashes = expression.name in _HASHES and any(c.type.is_nested for c in expression.children)
    return hashes or any(map(_hashes_nested, expression.children))
