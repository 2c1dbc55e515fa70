"""The order in which Spark's sorter leaves rows with equal keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.types import DecimalType, IntervalType

if TYPE_CHECKING:
    from broadhead.types import DataType

    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Longs = np.ndarray[Any, np.dtype[np.int64]]

_NAMES = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "date"}
    | {"timestamp", "timestamp_ntz"}
)
_MOST_DIGITS = 18
"""Of decimals that are longs."""


def is_sorted_by_radix(key: DataType) -> bool:
    """Whether Spark sorts rows with this one key by radix: its prefix says all about it."""
    if isinstance(key, DecimalType):
        return key.precision <= _MOST_DIGITS
    return isinstance(key, IntervalType) or key.name in _NAMES


def inserted_order(nulls: Mask) -> Longs:
    """The rows in the order in which such a sorter holds them; it keeps that of equal keys.

    It inserts a row with a null key behind the other nulls, and the row that stood there goes to
    the end. So the other rows are a queue, whose first row each null moves to its end.
    """
    others = np.flatnonzero(~nulls)
    start = others[0] if len(others) else len(nulls)
    moves = nulls[start:]
    moved: Longs = np.cumsum(moves) - moves
    source = np.where(moves, moved, np.arange(len(moves)))
    while not np.array_equal(further := source[source], source):
        source = further
    queue = start + source[int(moves.sum()) :]
    return np.concatenate([np.flatnonzero(nulls), queue])
