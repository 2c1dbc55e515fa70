"""The conditions that a path must meet though its result does not depend on them.

Python evaluates each operation of a path, and raises for some rows. An expression evaluates what
its result needs. So `int(x) and None` would not raise for NaN without such a condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.expressions.call_functions import function_of
from broadhead.expressions.traced_calls import GUARD
from broadhead.plan.expressions import Call
from broadhead.tracing import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broadhead.plan.expressions import Expression


def with_obligations(
    result: Expression, computed: Iterable[Expression], conditions: Iterable[Expression]
) -> Expression:
    """The result, guarded by what Python requires of all values that the path has computed.

    The path's own `conditions` are evaluated before it.
    """
    met = {holds for root in (result, *conditions) for holds in _required(root)}
    for expression in computed:
        for holds in _required(expression):
            if holds not in met:
                met.add(holds)
                result = terms.guarded(result, holds)
    return result


def _required(expression: Expression) -> Iterator[Expression]:
    """The conditions of the guards that are evaluated for each row."""
    rest = [expression]
    seen = set()
    while rest:
        node = rest.pop()
        if not isinstance(node, Call) or id(node) in seen:
            continue
        seen.add(id(node))
        if node.name == GUARD and node.fields:
            yield node.children[1]
        function = function_of(node)
        lazy = function is not None and function.by_branch is not None
        rest += node.children[:1] if lazy else node.children
