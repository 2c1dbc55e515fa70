"""Joins: one build side, probed by many batches."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.joins import value_ranges
from broadhead.kernels.arrow.joins.join_codes import HashCodes, exact_codes, narrowed
from broadhead.kernels.arrow.joins.row_index import row_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.arrow.joins.join_codes import ExactCodes
    from broadhead.kernels.arrow.joins.row_index import DenseIndex, HashTable


_LEAST_SCAN = 4096
"""Number of rows from which one more pass is faster than gathering the values of pairs."""


class JoinTable:
    """The keys of a build side.

    One of the build rows with equal keys, the first one in the index, is the leader of the others.
    """

    def __init__(self, keys: Sequence[pa.Array]) -> None:
        self._length = len(keys[0])
        self._codes, self._index, self._leaders = _index(keys)
        rows = np.arange(self._length, dtype=np.int32)
        self._unique = bool(((self._leaders == rows) | (self._leaders < 0)).all())
        self._marked = np.zeros(self._length, bool)
        self._ranges: value_ranges.ValueRanges | None = None

    def pairs(
        self, keys: Sequence[Any], limit: int, *, outer: bool
    ) -> Iterator[tuple[Any | None, Any]]:
        """The pairs of rows with equal keys, in the order of the probe rows, in batches."""
        found = self._find(keys)
        if self._unique:
            yield from _single_pairs(found, outer=outer)
        else:
            yield from self._expanded(found, limit, outer=outer)

    def matches(self, keys: Sequence[Any]) -> Any:
        """Mask of the probe rows that have a match."""
        return pa.array(self._find(keys) >= 0)

    def differs(self, keys: Sequence[Any], values: Any, built: Any) -> Any | None:
        """Mask of the probe rows that match a build row with another value."""
        if not (value_ranges.has_ranges(values) and value_ranges.has_ranges(built)):
            return None
        if self._ranges is None:
            self._ranges = value_ranges.ValueRanges(self._leaders, built)
        return self._ranges.differs(self._find(keys), values)

    def mark(self, keys: Sequence[Any]) -> None:
        """Record the build rows that match these probe rows."""
        found = self._find(keys)
        self._marked[found[found >= 0]] = True

    def marked(self) -> Any:
        """Mask of the build rows recorded by `mark`."""
        if self._unique:
            return pa.array(self._marked)
        return pa.array((self._leaders >= 0) & self._marked[self._leaders])

    def _find(self, keys: Sequence[Any]) -> Any:
        return _find(self._codes, self._index, keys)

    @cached_property
    def _rows_by_leader(self) -> tuple[Any, Any, Any]:
        """Build rows sorted by leader, and for each leader the offset and the number of its rows.

        The last entry has no rows. Probe rows without a match have leader -1 and index this entry.
        """
        order = np.argsort(self._leaders, kind="stable").astype(np.int32)
        order = order[np.count_nonzero(self._leaders < 0) :]
        leaders = self._leaders[self._leaders >= 0]
        counts = np.bincount(leaders, minlength=self._length + 1)
        return order, np.cumsum(counts) - counts, counts

    def _expanded(self, found: Any, limit: int, *, outer: bool) -> Iterator[tuple[Any, Any]]:
        order, starts, counts = self._rows_by_leader
        probe = np.arange(len(found)) if outer else np.flatnonzero(found >= 0)
        leaders = found if outer else found[probe]
        first, each = starts[leaders], counts[leaders]
        if outer:
            alone = leaders < 0
            order = np.append(order, np.int32(-1))
            first[alone], each[alone] = len(order) - 1, 1
        ends = np.cumsum(each)
        total = int(ends[-1]) if len(ends) else 0
        for low in range(0, total, limit):
            high = min(low + limit, total)
            rows = slice(
                int(np.searchsorted(ends, low, "right")),
                int(np.searchsorted(ends, high, "left")) + 1,
            )
            begin = ends[rows] - each[rows]
            share = np.minimum(ends[rows], high) - np.maximum(begin, low)
            offsets = np.repeat(first[rows] - begin, share) + np.arange(low, high)
            yield (
                pa.array(np.repeat(probe[rows], share)),
                _row_numbers(order.take(offsets), nulls=outer),
            )


def _index(
    keys: Sequence[pa.Array],
) -> tuple[ExactCodes | HashCodes, DenseIndex | HashTable, Any]:
    """Codes and index of the build keys, and the leader of each build row (-1 for null keys)."""
    keys = [narrowed(key) for key in keys]
    exact = exact_codes(keys)
    seed = 0
    while True:
        codes = exact if exact is not None else HashCodes(keys, seed)
        values, usable = codes.encode(keys)
        found = row_index(values, usable, codes.span)
        if found.distinct:
            return codes, found, _own_leaders(len(values), usable)
        leaders = found.find(values, usable)
        same = codes.is_same(keys, leaders)
        # two distinct build keys have the same hash: try another seed
        if same is None or bool((same | (leaders < 0)).all()):
            return codes, found, leaders
        seed += 1


def _own_leaders(length: int, usable: Any) -> Any:
    """Each row, or -1 for a null key."""
    rows = np.arange(length, dtype=np.int32)
    return rows if usable is None else np.where(usable, rows, np.int32(-1))


def _find(codes: ExactCodes | HashCodes, index: DenseIndex | HashTable, keys: Sequence[Any]) -> Any:
    """The leader of the build rows with the keys of each row, or -1."""
    values, usable = codes.encode(keys)
    found = index.find(values, usable)
    same = codes.is_same(keys, found)
    if same is not None:
        found[~same] = -1
    return found


def _single_pairs(found: Any, *, outer: bool) -> Iterator[tuple[Any | None, Any]]:
    """The pairs if each probe row has at most one match."""
    matched = found >= 0
    rows = int(np.count_nonzero(matched))
    if rows == len(found) or outer:
        if len(found):
            yield None, _row_numbers(found, nulls=rows < len(found))
    elif rows:
        yield pa.array(np.flatnonzero(matched)), pa.array(found[matched])


def _row_numbers(rows: Any, *, nulls: bool) -> pa.Array:
    """Row numbers as Array, null for -1."""
    if not nulls:
        return pa.array(rows)
    bitmap = pa.py_buffer(np.packbits(rows >= 0, bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(rows), [bitmap, pa.py_buffer(rows)])


class Bitmap:
    """A growing set of row ids."""

    def __init__(self, length: int) -> None:
        self._rows = np.zeros(length, bool)

    def add(self, rows: Any) -> None:
        """Add these row ids to the set."""
        self._rows[np.asarray(rows)] = True

    def mask(self) -> Any:
        """Mask of the rows in the set."""
        return pa.array(self._rows)


def build(keys: Sequence[Any]) -> JoinTable:
    """A join table of rows with these keys."""
    return JoinTable(keys)


def cross(probe_rows: int, build_rows: int, limit: int) -> Iterator[tuple[Any, Any]]:
    """All pairs of the rows, ordered by probe row, in batches of at most `limit` pairs."""
    step = max(1, limit // build_rows) if build_rows else probe_rows + 1
    for low in range(0, probe_rows if build_rows else 0, step):
        probe = np.arange(low, min(low + step, probe_rows), dtype=np.int32)
        for first in range(0, build_rows, limit):
            build_ = np.arange(first, min(first + limit, build_rows), dtype=np.int32)
            yield (
                pa.array(np.repeat(probe, len(build_))),
                pa.array(np.tile(build_, len(probe))),
            )


def scans(rows: int) -> bool:
    """Whether testing this many rows with one other row at a time is faster than forming pairs."""
    return rows >= _LEAST_SCAN


def bitmap(length: int) -> Bitmap:
    """An empty set of row ids below `length`."""
    return Bitmap(length)
