"""Groups of four keys and what aggregates make of them, for the tests of aggregation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from broadhead.kernels.interface import Kernels, Request
from broadhead.types import LONG, DataType
from kernels.physical import array, digits, layouts, mask, same, values

KEYS = [2, 1, None, 2, 1, None, 3, 2]
PLACES = [[0, 3, 7], [1, 4], [2, 5], [6]]
"""The rows of each of the groups 2, 1, null and 3."""


def canonical(key: Any) -> Any:
    if isinstance(key, float):
        return "NaN" if math.isnan(key) else key + 0.0
    return key


def by_key(k: Kernels, grouping: Any, types: Sequence[DataType], column: Sequence[Any]) -> Any:
    """The results of each group, under its keys."""
    keys = [values(k, key, type) for key, type in zip(grouping.keys, types, strict=True)]
    assert all(len(key) == grouping.size for key in keys)
    assert len(column) == grouping.size
    names = [tuple(map(canonical, row)) for row in zip(*keys, strict=True)]
    assert len(set(names)) == len(names)
    return dict(zip(names, column, strict=True))


def grouped(k: Kernels, kind: Any, column: Any, type: DataType, argument: int = 0) -> list[Any]:
    """One aggregate of the groups 2, 1, null and 3; with a mask, pairs."""
    grouping = k.group.group([array(k, KEYS, LONG)], len(KEYS))
    (result,) = grouping.aggregate([Request(kind, column, argument)])
    failed: Any = None
    if isinstance(result, tuple):
        result, found = result
        failed = mask(k, found, grouping.size)
    rows = digits(k, result) if type.is_decimal else values(k, result, type)
    if failed is not None:
        rows = list(zip(rows, failed, strict=True))
    named = by_key(k, grouping, [LONG], rows)
    return [named[(key,)] for key in (2, 1, None, 3)]


def whole(k: Kernels, kind: Any, column: Any, type: DataType, argument: int = 0) -> Any:
    """One aggregate of all rows."""
    grouping = k.group.group([], k.columns.length(column))
    assert grouping.size == 1
    assert grouping.keys == []
    (result,) = grouping.aggregate([Request(kind, column, argument)])
    if isinstance(result, tuple):
        (row,) = digits(k, result[0]) if type.is_decimal else values(k, result[0], type)
        return row, mask(k, result[1], 1)[0]
    (row,) = digits(k, result) if type.is_decimal else values(k, result, type)
    return row


def check(
    k: Kernels, kind: Any, rows: list[Any], type: DataType, result: DataType, expected: list[Any]
) -> None:
    for data in layouts(k, rows, type):
        assert same(grouped(k, kind, data, result), expected)
