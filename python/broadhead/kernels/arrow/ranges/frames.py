"""Aggregates of window frames: ranges of rows that may overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import sort
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import exact_sum, wide
from broadhead.kernels.arrow.ranges.segments import SegmentTree, State, accumulate
from broadhead.kernels.interface.window import MOST_MEMBERS

if TYPE_CHECKING:
    from broadhead.kernels.interface.group import Request

FEW_ROWS = 32
"""Frames of at most this many rows are summed row by row, like in Spark."""


class Frames:
    """The rows from each begin (inclusive) to each end (exclusive), as groups."""

    def __init__(self, begin: Any, end: Any, anchor: str) -> None:
        self.size = len(begin)
        self.keys: list[Any] = []
        self._begin = begin
        self._end = end
        self._anchor = anchor
        self._counts: dict[int, tuple[Any, Any]] = {}

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        return [_KINDS[asked.kind](self, asked.values, asked.precision) for asked in requests]

    def spread(self, values: Any) -> Any:
        """The value of the frame of each input row."""
        frame = np.repeat(np.arange(self.size, dtype=np.int64), self._end - self._begin)
        return views.contiguous(pc.take(values, pa.array(frame), boundscheck=False))

    def members(self) -> tuple[Any, Any]:
        """The rows of each frame, and the offset of its first row."""
        counts = self._end - self._begin
        offsets = np.concatenate(([0], np.cumsum(counts)))
        if offsets[-1] > MOST_MEMBERS:
            raise EngineLimit(f"window frames have {offsets[-1]} rows together")
        shifts = np.repeat(self._begin - offsets[:-1], counts)
        return pa.array(shifts + np.arange(offsets[-1])), pa.array(offsets)

    @cached_property
    def _widest(self) -> int:
        return int((self._end - self._begin).max(initial=0))

    def _difference(self, values: Any) -> Any:
        """The sums of int64 values of each frame, wrapping around."""
        totals = np.zeros(len(values) + 1, np.int64)
        np.cumsum(values, out=totals[1:])
        return totals[self._end] - totals[self._begin]

    def _count_of(self, data: Any) -> Any:
        """Number of values of each frame that are not null."""
        # keep the Array alive, because a new one may get the id of a freed one
        if id(data) not in self._counts:
            valid = views.valid(data)
            found = self._end - self._begin if valid is None else self._difference(valid)
            self._counts[id(data)] = (found, data)
        return self._counts[id(data)][0]

    def _present(self, result: Any, data_type: pa.DataType, data: Any) -> pa.Array:
        """The result, null for frames without values."""
        return views.array(result, data_type, _nulls(self._count_of(data) == 0))

    def count(self, data: Any, _: int) -> Any:
        """Values that are not null."""
        return pa.array(self._count_of(data))

    def sum(self, data: Any, _: int) -> Any:
        """Sum of integers, wrapping around, or of floats."""
        if not pa.types.is_floating(data.type):
            total = self._difference(_filled(data, 0))
            return self._present(total, pa.int64(), data)
        floats = _filled(data, 0.0).astype(np.float64, copy=False)
        with np.errstate(invalid="ignore", over="ignore"):
            # infinities of both signs sum to NaN, and sums beyond the largest double to infinity
            total = self._sum_floats(floats)
        return self._present(total, pa.float64(), data)

    def _sum_floats(self, values: Any) -> Any:
        if self._anchor == "begin":
            # start with 0.0, like Spark: a single -0.0 sums to 0.0
            return self._prefixes(np.add, values + 0.0, 0.0)
        if self._widest <= FEW_ROWS:
            return self._row_by_row(values)
        (total,) = SegmentTree((values,), (0.0,), lambda a, b: (a[0] + b[0],)).query(
            self._begin, self._end
        )
        return total

    def _row_by_row(self, values: Any) -> Any:
        total = np.zeros(self.size)
        active = np.arange(self.size)
        for step in range(self._widest):
            active = active[self._begin[active] + step < self._end[active]]
            total[active] += values[self._begin[active] + step]
        return total

    def _prefixes(self, operation: np.ufunc, values: Any, identity: Any) -> Any:
        """The operation over the rows of frames with a fixed begin."""
        starts = self._begin[np.flatnonzero(np.diff(self._begin, prepend=-1))]
        return self._picked(accumulate(operation, values, starts), self._end - 1, identity)

    def _suffixes(self, operation: np.ufunc, values: Any, identity: Any) -> Any:
        """The operation over the rows of frames with a fixed end."""
        ends = self._end[np.flatnonzero(np.diff(self._end, prepend=-1))]
        backwards = accumulate(operation, values[::-1], len(values) - ends[::-1])
        return self._picked(backwards[::-1], self._begin, identity)

    def _picked(self, scanned: Any, rows: Any, identity: Any) -> Any:
        """The accumulated values in these rows; the identity for empty frames."""
        empty = self._begin == self._end
        if not empty.any():
            return scanned[rows]
        result = np.full(self.size, identity, scanned.dtype)
        result[~empty] = scanned[rows[~empty]]
        return result

    def sum_checked(self, data: Any, _: int) -> Any:
        """Sum of int64; fails if the sum of the values of one sign does not fit."""
        if self._magnitude(data) < wide.LONG_LIMIT:
            return self.sum(data, 0), None
        sides = []
        failed = np.zeros(self.size, bool)
        for side in exact_sum.by_sign(data):
            total, beyond = exact_sum.as_long(self._digits(side, data))
            sides.append(views.values(total))
            if beyond is not None:
                failed |= views.values(beyond)
        total = self._present(sides[0] + sides[1], pa.int64(), data)
        return exact_sum.null_where_failed(total, failed)

    def sum_unscaled(self, data: Any, precision: int) -> Any:
        """Exact sum of unscaled data; fails if an intermediate sum may exceed that many digits."""
        magnitude = self._magnitude(data)
        narrow = wide.narrow(data) if magnitude < wide.LONG_LIMIT else None
        if narrow is not None:
            total = self.sum(narrow, 0)
        else:
            total, beyond = exact_sum.as_unscaled(self._digits(data, data))
            if beyond is not None:
                return total, beyond
        if magnitude < 10**precision:
            return total, None
        return exact_sum.null_where_failed(total, self._passes(data, precision))

    def _magnitude(self, data: Any) -> int:
        """An upper bound for the sum of any values of a frame."""
        low, high = wide.bounds(data)
        return max(-low, high) * self._widest

    def _passes(self, data: Any, precision: int) -> Any:
        """Mask of the frames with values of one sign whose sum has more than `precision` digits."""
        passes = np.zeros(self.size, bool)
        for side in exact_sum.by_sign(data):
            total, beyond = exact_sum.as_unscaled(self._digits(side, data))
            for mask in (beyond, exact_sum.exceeds(total, precision)):
                if mask is not None:
                    passes |= views.values(mask)
        return passes

    def _digits(self, values: Any, data: Any) -> list[pa.Array]:
        """The sums of the 32-bit digits of each frame's values; null where `data` has none."""
        return [
            self._present(self._difference(_filled(digit, 0)), pa.int64(), data)
            for digit in exact_sum.split(values)
        ]

    def extreme(self, data: Any, *, greatest: bool) -> Any:
        """The least or the greatest value in Spark's order."""
        if data.type not in _DIRECT:
            codes, sorted_values = _codes(data)
            chosen = self.extreme(codes, greatest=greatest)
            return views.contiguous(pc.take(sorted_values, chosen, boundscheck=False))
        operation, identity = _extreme_operation(views.dtype(data.type), greatest=greatest)
        values = _one_nan(_filled(data, identity))
        if self._anchor == "begin":
            result = self._prefixes(operation, values, identity)
        elif self._anchor == "end":
            result = self._suffixes(operation, values, identity)
        else:
            result = self._slide(operation, values, identity)
        return self._present(result, data.type, data)

    def _slide(self, operation: np.ufunc, values: Any, identity: Any) -> Any:
        def combine(left: State, right: State) -> State:
            return (operation(left[0], right[0]),)

        return SegmentTree((values,), (identity,), combine).query(self._begin, self._end)[0]

    def edge(self, data: Any, *, last: bool, skip_nulls: bool) -> Any:
        """The value of the first or last row, or of the first or last valid row."""
        if skip_nulls and (valid := views.valid(data)) is not None:
            rows, found = self._edge_among(valid, last=last)
        else:
            rows, found = (self._end - 1 if last else self._begin), self._begin < self._end
        chosen = views.array(rows, pa.int64(), _nulls(~found))
        return views.contiguous(pc.take(data, chosen, boundscheck=False))

    def _edge_among(self, valid: Any, *, last: bool) -> tuple[Any, Any]:
        positions = np.flatnonzero(valid)
        before = np.zeros(len(valid) + 1, np.int64)
        np.cumsum(valid, out=before[1:])
        nth = before[self._end] - 1 if last else before[self._begin]
        found = before[self._begin] < before[self._end]
        rows = np.zeros(self.size, np.int64)
        rows[found] = positions[nth[found]]
        return rows, found

    def last_of_extreme(self, data: Any, *, greatest: bool) -> Any:
        """The last row with the least or the greatest value."""
        # the later of equal values has the greater rank, or the smaller one
        rows = np.arange(len(data)) if greatest else np.arange(len(data))[::-1]
        order = views.values(sort.order([data.take(pa.array(rows))], [(True, False)]))
        order = rows[order]
        ranks = np.empty(len(data), np.int64)
        ranks[order] = np.arange(len(data))
        valid = views.valid(data)
        ranked = views.array(ranks, pa.int64(), None if valid is None else _nulls(~valid))
        chosen = self.extreme(ranked, greatest=greatest)
        return views.contiguous(pc.take(pa.array(order), chosen, boundscheck=False))

    def bits(self, data: Any, operation: np.ufunc, identity: int) -> Any:
        """The bitwise operation over integers."""

        def combine(left: State, right: State) -> State:
            return (operation(left[0], right[0]),)

        tree = SegmentTree((_filled(data, identity),), (identity,), combine)
        return self._present(tree.query(self._begin, self._end)[0], data.type, data)

    def moment2(self, data: Any, _: int) -> Any:
        """Sum of squared differences from the frame's mean."""
        valid = views.valid(data)
        weights = np.ones(len(data)) if valid is None else valid.astype(np.float64)
        values = _filled(data, 0.0).astype(np.float64, copy=False)
        with np.errstate(invalid="ignore", over="ignore"):
            # inf - inf: an infinity makes the variance NaN, like in Spark
            leaves = (weights, values, values - values)
            moments = SegmentTree(leaves, (0.0, 0.0, 0.0), _merge_moments).query(
                self._begin, self._end
            )
        return self._present(moments[2], pa.float64(), data)


def _merge_moments(left: State, right: State) -> State:
    """Counts, means and squared differences of two adjacent ranges, merged (Chan et al.)."""
    count = left[0] + right[0]
    share = right[0] / np.maximum(count, 1.0)
    distance = right[1] - left[1]
    mean = left[1] + distance * share
    # an empty side contributes 0, even if distance² overflows to infinity
    weight = left[0] * share
    between = np.where(weight == 0.0, 0.0, distance * distance * weight)
    return count, mean, left[2] + right[2] + between


def _nulls(missing: Any) -> pa.Array | None:
    """An Array that is null where `missing` is true, or None if nothing is missing."""
    if not missing.any():
        return None
    bitmap = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(missing), [bitmap, bitmap])


def _filled(data: pa.Array, value: Any) -> Any:
    """The values, with `value` instead of nulls."""
    values, valid = views.values(data), views.valid(data)
    return values if valid is None else np.where(valid, values, values.dtype.type(value))


def _one_nan(values: Any) -> Any:
    """Floats with one quiet NaN for all NaNs: `fmin` of a signaling NaN is NaN."""
    if values.dtype.kind != "f" or not (nans := np.isnan(values)).any():
        return values
    return np.where(nans, values.dtype.type(np.nan), values)


_DIRECT = frozenset(
    {
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.float32(), pa.float64(), pa.date32()),
    }
)
"""Types whose numpy values have Spark's order."""


def _extreme_operation(dtype: Any, *, greatest: bool) -> tuple[np.ufunc, Any]:
    """The operation, and its identity."""
    if dtype.kind == "f":
        # NaN is greater than all and propagates through maximum; fmin ignores it
        return (np.maximum, -np.inf) if greatest else (np.fmin, np.nan)
    limits = np.iinfo(dtype)
    return (np.maximum, limits.min) if greatest else (np.minimum, limits.max)


def _codes(data: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The rank of each value among the sorted distinct values, and these values."""
    encoded = data.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    positions = np.empty(len(order), np.int64)
    positions[views.values(order.cast(pa.int64()))] = np.arange(len(order))
    codes = pc.take(pa.array(positions), encoded.indices, boundscheck=False)
    return views.contiguous(codes), encoded.dictionary.take(order)


def _bits(operation: np.ufunc, identity: int) -> Callable[[Frames, Any, int], Any]:
    return lambda frames, data, _: frames.bits(data, operation, identity)


def _edge(*, last: bool, skip_nulls: bool) -> Callable[[Frames, Any, int], Any]:
    return lambda frames, data, _: frames.edge(data, last=last, skip_nulls=skip_nulls)


_KINDS: dict[str, Callable[[Frames, Any, int], Any]] = {
    "sum": Frames.sum,
    "sum_checked": Frames.sum_checked,
    "sum_unscaled": Frames.sum_unscaled,
    "count": Frames.count,
    "min": lambda frames, data, _: frames.extreme(data, greatest=False),
    "max": lambda frames, data, _: frames.extreme(data, greatest=True),
    "first": _edge(last=False, skip_nulls=False),
    "last": _edge(last=True, skip_nulls=False),
    "first_valid": _edge(last=False, skip_nulls=True),
    "last_valid": _edge(last=True, skip_nulls=True),
    "moment2": Frames.moment2,
    "last_of_min": lambda frames, data, _: frames.last_of_extreme(data, greatest=False),
    "last_of_max": lambda frames, data, _: frames.last_of_extreme(data, greatest=True),
    "bit_and": _bits(np.bitwise_and, -1),
    "bit_or": _bits(np.bitwise_or, 0),
    "bit_xor": _bits(np.bitwise_xor, 0),
}
