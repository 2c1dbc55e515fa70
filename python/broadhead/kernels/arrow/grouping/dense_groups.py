"""Hash aggregation by integer keys of a narrow range: the key is an array index."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.arrow.grouping.reductions import Reduction

_FEWEST_ROWS = 1024

_LARGEST_RANGE = 1 << 26
"""Memory limit of the table of present keys, of one byte each."""

_RANGE_TO_SEE = 32
"""Key range per row up to which the present keys are determined."""

_RANGE_TO_SUM = 8
"""Key range per row up to which arrays of sums, of eight bytes each, are faster than hashing."""

_FAST = {
    pa.int64(): ("sum", "min", "max"),
    pa.float64(): ("sum", "min", "max", "variance"),
    pa.bool_(): ("min", "max"),
}
"""The reductions by type that an array index is faster for than hashing."""
_JOINS: dict[str, dict[str, tuple[Any, Any]]] = {
    "i": {
        "sum": (np.add, np.int64(0)),
        "min": (np.minimum, np.iinfo(np.int64).max),
        "max": (np.maximum, np.iinfo(np.int64).min),
    },
    "f": {"min": (np.minimum, np.inf), "max": (np.maximum, -np.inf)},
}
"""How two values are joined, and what none are."""


class _Present:
    """The values that are not null, and the offsets of their keys."""

    def __init__(self, of: pa.Array, offsets: Any, size: int) -> None:
        self.of = of
        self._size = size
        self._valid: Any = views.valid(of)
        self.offsets = offsets if self._valid is None else offsets[self._valid]

    @cached_property
    def values(self) -> Any:
        """The values as a numpy array."""
        values = views.values(self.of)
        return values if self._valid is None else values[self._valid]

    @cached_property
    def counts(self) -> Any:
        """How many values each key has."""
        return np.bincount(self.offsets, minlength=self._size)

    @cached_property
    def sums(self) -> Any:
        """The sum of each key's doubles."""
        return np.bincount(self.offsets, self.values, minlength=self._size)

    @cached_property
    def has_negative_zero(self) -> bool:
        """Whether there is one among the doubles."""
        zeros = self.values == 0
        return bool(zeros.any()) and bool(np.signbit(self.values[zeros]).any())

    @cached_property
    def variances(self) -> Any:
        """The mean square of the differences from the mean, of each key's doubles."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means = self.sums / self.counts
            apart = self.values - means[self.offsets]
            apart *= apart
            return np.bincount(self.offsets, apart, minlength=self._size) / self.counts


class DenseGroups:
    """Groups in the order of their keys; a reduction is an array indexed by key."""

    def __init__(self, key: pa.Array, low: int, offsets: Any, seen: Any) -> None:
        self._key = key
        self._low = low
        self._offsets = offsets
        self._seen = seen
        self._last: _Present | None = None

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
        """The result of a reduction for each group.

        None except for counts, longs, doubles without NaN, and booleans.
        """
        function, values = reduction.function, reduction.values
        if function != "count" and function not in _FAST.get(values.type, ()):
            return None
        present = self._present(values)
        if function == "count":
            return pa.array(present.counts[self._taken])
        table = self._table(function, present)
        if table is None:
            return None
        result = pa.array(table[self._taken])
        if not values.null_count:
            return result
        return logic.null_where(result, pa.array(present.counts[self._taken] == 0))

    def _present(self, values: pa.Array) -> _Present:
        """What several reductions of the same values share."""
        if self._last is None or self._last.of is not values:
            self._last = _Present(values, self._offsets, len(self._seen))
        return self._last

    def _table(self, function: str, present: _Present) -> Any:
        """The results by the keys' offsets; None where hashing decides between zeros."""
        size = len(self._seen)
        values = present.values
        if values.dtype == bool:
            rare = function == "max"
            table = np.full(size, not rare)
            table[present.offsets[values == rare]] = rare
            return table
        if function == "variance":
            return present.variances
        if values.dtype == np.float64 and function == "sum":
            return present.sums
        if values.dtype == np.float64 and present.has_negative_zero:
            return None
        join, start = _JOINS[values.dtype.kind][function]
        table = np.full(size, start)
        join.at(table, present.offsets, values)
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
