"""Hash aggregation by integer keys of a narrow range: the key is an array index."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.arrow.grouping.reductions import Reduction

_FEWEST_ROWS = 1024

_LARGEST_RANGE = 1 << 26
"""Memory limit of the table of present keys, of one byte each."""

_RANGE_TO_SEE = 32
"""Key range per row up to which the present keys are determined."""

_RANGE_TO_SUM = 4
"""Key range per row up to which arrays of sums, of eight bytes each, are faster than hashing."""

_LEAST, _GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class DenseGroups:
    """Groups in the order of their keys; a reduction is an array indexed by key."""

    def __init__(self, key: pa.Array, low: int, offsets: Any, seen: Any) -> None:
        self._key = key
        self._low = low
        self._offsets = offsets
        self._seen = seen

    @property
    def are_distinct(self) -> bool:
        """True if all keys are distinct."""
        return len(self._taken) == len(self._offsets)

    @property
    def can_reduce(self) -> bool:
        """True if arrays of sums are not much larger than the rows."""
        return len(self._seen) <= _RANGE_TO_SUM * len(self._offsets)

    @cached_property
    def _taken(self) -> Any:
        return np.flatnonzero(self._seen)

    @property
    def key(self) -> pa.Array:
        """The key of each group."""
        values = (self._taken + self._low).astype(views.dtype(self._key.type))
        return views.array(values, self._key.type)

    @property
    def numbers(self) -> pa.Array:
        """The number of each row's group."""
        order = np.cumsum(self._seen, dtype=np.int32) - np.int32(1)
        return pa.array(order[self._offsets])

    def reduce(self, reduction: Reduction) -> pa.Array | None:
        """The result of a reduction for each group; None except for integers and booleans."""
        values = reduction.values
        if values.null_count:
            return None
        if reduction.function == "count":
            return pa.array(np.bincount(self._offsets, minlength=len(self._seen))[self._taken])
        if values.type == pa.int64():
            table = self._of_longs(reduction.function, views.values(values))
        elif pa.types.is_boolean(values.type):
            table = self._of_booleans(reduction.function, views.values(values))
        else:
            return None
        return None if table is None else pa.array(table[self._taken])

    def _of_longs(self, function: str, values: Any) -> Any:
        size = len(self._seen)
        if function == "sum":
            table = np.zeros(size, np.int64)
            np.add.at(table, self._offsets, values)
        elif function == "min":
            table = np.full(size, _GREATEST)
            np.minimum.at(table, self._offsets, values)
        elif function == "max":
            table = np.full(size, _LEAST)
            np.maximum.at(table, self._offsets, values)
        else:
            return None
        return table

    def _of_booleans(self, function: str, values: Any) -> Any:
        if function not in {"min", "max"}:
            return None
        rare = function == "max"
        table = np.full(len(self._seen), not rare)
        table[self._offsets[values == rare]] = rare
        return table


def find(keys: Sequence[pa.Array]) -> DenseGroups | None:
    """The groups of a single integer key of a narrow range without nulls; None for other keys."""
    if len(keys) != 1 or keys[0].null_count or len(keys[0]) < _FEWEST_ROWS:
        return None
    (key,) = keys
    if not (pa.types.is_signed_integer(key.type) or pa.types.is_date32(key.type)):
        return None
    values = views.values(key)
    low, high = int(values.min()), int(values.max())
    if high - low >= min(_RANGE_TO_SEE * len(values), _LARGEST_RANGE):
        return None
    offsets = values.astype(np.int64) - low
    seen = np.zeros(high - low + 1, bool)
    seen[offsets] = True
    return DenseGroups(key, low, offsets, seen)
