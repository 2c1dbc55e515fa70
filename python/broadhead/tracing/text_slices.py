"""Python's indexes and slices of strings as Spark's substring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.tracing import terms
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.terms import integer

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

TO_END = integer(2**31 - 1)
MOST = 1_000_000


def sliced(text: Expression, start: Any, stop: Any, step: Any) -> Expression:
    """`text[start:stop:step]`, of constants."""
    for end in (start, stop):
        if end is not None and (type(end) is not int or abs(end) > MOST):
            raise Untraceable("it slices a string at a value that is not a small constant")
    if step not in (None, 1):
        raise Untraceable("it slices a string with a step")
    first = start or 0
    if first < 0 and stop is None:
        return terms.substring(text, integer(first), TO_END)
    if first < 0:
        raise Untraceable("it slices a string from its end to a position before it")
    if stop is None:
        return text if first == 0 else terms.substring(text, integer(first + 1), TO_END)
    if stop >= 0:
        return terms.substring(text, integer(first + 1), integer(max(stop - first, 0)))
    size = terms.length(text)
    count = terms.arithmetic("Add", size, integer(stop - first))
    return terms.substring(text, integer(first + 1), count)


def character(text: Expression, index: Any) -> tuple[Expression, Expression]:
    """`text[index]`, and whether there is such a character."""
    if type(index) is not int or abs(index) > MOST:
        raise Untraceable("it indexes a string with a value that is not a small constant")
    needed = index + 1 if index >= 0 else -index
    exists = terms.compare("<=", integer(needed), terms.length(text))
    position = index + 1 if index >= 0 else index
    return terms.call("Substring", text.type, text, integer(position), integer(1)), exists
