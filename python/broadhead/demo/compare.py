"""Comparison of two results of one query, row by row."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

# The last digits of a float sum depend on the order in which Spark's tasks end.
RELATIVE_TOLERANCE = 1e-9

Row = tuple[Any, ...]


class Ordered(Protocol):
    """What decides the order of a query's rows."""

    @property
    def order_by(self) -> Sequence[str]:
        """The columns of ORDER BY."""

    @property
    def limit(self) -> int | None:
        """The number of rows of LIMIT."""


def difference(
    query: Ordered, columns: Sequence[str], expected: Sequence[Row], actual: Sequence[Row]
) -> str | None:
    """First difference between two results of `query` in words, or None if they are equal.

    The order counts only as far as ORDER BY decides it: rows that tie may come in any order, and
    where LIMIT cuts through a tie either of the tied rows is right.
    """
    if len(expected) != len(actual):
        return f"{len(actual)} rows instead of {len(expected)}"
    keys = [columns.index(name) for name in query.order_by]
    for position, (left, right) in enumerate(zip(expected, actual, strict=True)):
        if not all(_equal(left[key], right[key]) for key in keys):
            return f"row {position + 1} is {right!r} instead of {left!r}"
    if query.limit is not None and len(expected) == query.limit:
        expected = _without_last_tie(expected, keys)
        actual = actual[: len(expected)]
    pairs = zip(sorted(expected, key=_sort_key), sorted(actual, key=_sort_key), strict=True)
    for left, right in pairs:
        if len(left) != len(right) or not all(map(_equal, left, right)):
            return f"a row is {right!r} instead of {left!r}"
    return None


def _without_last_tie(rows: Sequence[Row], keys: list[int]) -> Sequence[Row]:
    """Rows before those that share the last one's `keys`, whose others LIMIT may have cut."""
    last = [rows[-1][key] for key in keys]
    end = len(rows) - 1
    while end > 0 and all(map(_equal, (rows[end - 1][key] for key in keys), last)):
        end -= 1
    return rows[:end]


def _equal(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return (math.isnan(left) and math.isnan(right)) or math.isclose(
            left, right, rel_tol=RELATIVE_TOLERANCE
        )
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return left.as_tuple() == right.as_tuple()
    return type(left) is type(right) and left == right


def _sort_key(row: Row) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Exact values before floats, so that a last digit cannot change which rows are compared."""
    floats = [value for value in row if isinstance(value, float)]
    return (
        tuple(_exact_key(value) for value in row),
        tuple((math.isnan(value), 0.0 if math.isnan(value) else value) for value in floats),
    )


def _exact_key(value: object) -> tuple[bool, object]:
    if value is None:
        return (False, 0)
    return (True, 0 if isinstance(value, float) else value)
