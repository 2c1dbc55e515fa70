"""Hash aggregation in memory."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import compare
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.grouping import dense_groups, key_packing, reductions, run_groups
from broadhead.kernels.arrow.grouping.reductions import Reduction
from broadhead.kernels.arrow.hashing import key_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broadhead.kernels.arrow.grouping.dense_groups import DenseGroups
    from broadhead.kernels.arrow.grouping.run_groups import Runs
    from broadhead.kernels.interface.group import Request

_OPTIONS = {
    "sum": pc.ScalarAggregateOptions(min_count=1),
    "count": pc.CountOptions(mode="only_valid"),
    "min": pc.ScalarAggregateOptions(min_count=1),
    "max": pc.ScalarAggregateOptions(min_count=1),
    "variance": pc.VarianceOptions(ddof=0, min_count=1),
}
_WHOLE: dict[str, Callable[..., Any]] = {
    "sum": pc.sum,
    "count": pc.count,
    "variance": pc.variance,
}


class KeyedGrouping:
    """Rows grouped by their keys."""

    def __init__(self, keys: list[pa.Array], length: int, known: Runs | DenseGroups | None) -> None:
        self._given = keys
        self.length = length
        self._hashed = key_packing.pack(self._given)
        self._known = known
        self._keys: list[Any] | None = None if known is None else [known.key]

    @property
    def keys(self) -> list[Any]:
        """The key values of each group."""
        if self._keys is None:
            self._run([])
        assert self._keys is not None
        return self._keys

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.keys[0])

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request; all share one pass of hashing."""
        return reductions.aggregate(requests, self)

    def spread(self, values: Any) -> Any:
        """The value of each input row's group."""
        return views.contiguous(pc.take(values, self._ids, boundscheck=False))

    def members(self) -> tuple[Any, Any]:
        """The rows of each group, and the offset of its first row."""
        rows, offsets = self._members
        return pa.array(rows), pa.array(offsets)

    @cached_property
    def _members(self) -> tuple[Any, Any]:
        if self._known is not None:
            numbers = views.values(self._ids)
            counts = np.bincount(numbers, minlength=self.size)
            # numpy sorts integers of up to 16 bits by radix
            narrow = numbers.astype(np.uint16) if self.size <= 1 << 16 else numbers
            rows = np.argsort(narrow, kind="stable")
            return rows, np.concatenate(([0], np.cumsum(counts)))
        rows = pa.array(np.arange(self.length, dtype=np.int64))
        (lists,) = self._run([Reduction("list", rows)])
        offsets = views.values(lists.offsets)
        members = views.values(lists.values)[offsets[0] : offsets[-1]]
        return members, (offsets - offsets[0]).astype(np.int64)

    @cached_property
    def _ids(self) -> Any:
        if self._known is not None:
            return self._known.numbers
        rows, offsets = self._members
        ids = np.empty(self.length, np.int32)
        ids[rows] = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(offsets))
        return pa.array(ids)

    def reduce(self, reductions_: Sequence[Reduction]) -> list[pa.Array]:
        """The result of each reduction, one row for each group."""
        if self._known is None:
            return self._run(reductions_)
        results = [self._known.reduce(reduction) for reduction in reductions_]
        missing = [index for index, result in enumerate(results) if result is None]
        if missing:
            # Hashing returns groups in its own order; known groups are found by their key.
            keys = Reduction("min", self._given[0])
            *rest, hashed = self._run([*(reductions_[index] for index in missing), keys])
            order = pa.array(np.argsort(views.values(hashed)))
            for index, result in zip(missing, rest, strict=True):
                results[index] = views.contiguous(pc.take(result, order, boundscheck=False))
        return results

    def _run(self, reductions_: Sequence[Reduction]) -> list[pa.Array]:
        columns = {f"k{i}": key for i, key in enumerate(self._hashed)}
        names = list(columns)
        wanted = list(reductions_)
        find_rows = self._keys is None and self._hashed is not self._given
        if find_rows:
            wanted.append(Reduction("min", _row_numbers(self.length)))
        calls = []
        for number, reduction in enumerate(wanted):
            columns[f"v{number}"] = reduction.values
            calls.append((f"v{number}", reduction.function, _OPTIONS.get(reduction.function)))
        grouped = pa.table(columns).group_by(names, use_threads=False).aggregate(calls)
        results = [
            views.contiguous(grouped[f"v{number}_{reduction.function}"])
            for number, reduction in enumerate(wanted)
        ]
        if find_rows:
            rows = results.pop()
            self._keys = [
                views.contiguous(pc.take(key, rows, boundscheck=False)) for key in self._given
            ]
        elif self._keys is None:
            self._keys = [views.contiguous(grouped[name]) for name in names]
        return results


class WholeGrouping:
    """All rows in one group."""

    size = 1

    def __init__(self, length: int) -> None:
        self.keys: list[Any] = []
        self.length = length

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        return reductions.aggregate(requests, self)

    def spread(self, values: Any) -> Any:
        """The value of the group, for each input row."""
        return views.full(values[0], self.length)

    def members(self) -> tuple[Any, Any]:
        """All rows, from 0 to their number."""
        return _row_numbers(self.length), pa.array([0, self.length], pa.int64())

    def reduce(self, reductions_: Sequence[Reduction]) -> list[pa.Array]:
        """The result of each reduction, in one row."""
        extremes: dict[int, Any] = {}
        return [self._reduced(reduction, extremes) for reduction in reductions_]

    def _reduced(self, reduction: Reduction, extremes: dict[int, Any]) -> pa.Array:
        """The result; `extremes` are those of values, by their identity."""
        if reduction.function == "list":
            return reductions.lists_of_values(reduction.values, [0, self.length])
        if reduction.function in {"min", "max"}:
            found = _extreme_number(reduction.function, reduction.values)
            if found is not None:
                return found
            # Arrow finds both for either.
            if id(reduction.values) not in extremes:
                found = pc.min_max(reduction.values, options=_OPTIONS[reduction.function])
                extremes[id(reduction.values)] = found
            return pa.repeat(extremes[id(reduction.values)][reduction.function], 1)
        whole = _WHOLE[reduction.function]
        return pa.repeat(whole(reduction.values, options=_OPTIONS[reduction.function]), 1)


class RowGrouping:
    """One group for each row."""

    def __init__(self, keys: Sequence[pa.Array], length: int) -> None:
        self.keys = list(keys)
        self.size = self.length = length

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        return reductions.aggregate(requests, self)

    def reduce(self, reductions_: Sequence[Reduction]) -> list[pa.Array]:
        """The reductions of each row."""
        return reductions.of_rows(reductions_)

    def spread(self, values: Any) -> Any:
        """The unchanged values: there is one for each row."""
        return values

    def members(self) -> tuple[Any, Any]:
        """The rows in their order."""
        return _row_numbers(self.length), _row_numbers(self.length + 1)


def group(keys: Sequence[Any], length: int) -> KeyedGrouping | RowGrouping | WholeGrouping:
    """Groups by equal keys; without keys exactly one group, also for no rows."""
    if not keys:
        return WholeGrouping(length)
    keys = [compare.normalize(key) for key in keys]
    runs = run_groups.find(keys)
    if runs is not None:
        return KeyedGrouping(keys, length, runs)
    dense = dense_groups.find(keys)
    if dense is not None and dense.are_distinct:
        return RowGrouping(keys, length)
    return KeyedGrouping(keys, length, dense if dense is not None and dense.can_reduce else None)


def each_row(keys: Sequence[Any], length: int) -> RowGrouping:
    """One group for each row, whether or not their keys are equal."""
    return RowGrouping(keys, length)


def _extreme_number(function: str, values: pa.Array) -> pa.Array | None:
    """The least or the greatest of floats, for which numpy takes a tenth of Arrow's time.

    None of NaN and of zeros, between which Arrow decides, and of no values.
    """
    if not pa.types.is_floating(values.type) or values.null_count == len(values):
        return None
    numbers, valid = views.values(values), views.valid(values)
    least = function == "min"
    if valid is not None:
        numbers = np.where(valid, numbers, numbers.dtype.type(np.inf if least else -np.inf))
    found = numbers.min() if least else numbers.max()
    return None if np.isnan(found) or found == 0 else pa.array([found], values.type)


def hash_partition(keys: Sequence[Any], partitions: int, seed: int) -> Any:
    """A number in [0, partitions) for each row, int32, equal for equal keys."""
    hashes = key_hash.hash_rows([compare.normalize(key) for key in keys], seed)
    return pa.array((hashes % np.uint64(partitions)).astype(np.int32))


def _row_numbers(length: int) -> pa.Array:
    return pa.array(np.arange(length, dtype=np.int64))
