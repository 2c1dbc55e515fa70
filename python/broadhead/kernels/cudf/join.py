"""Joins: one build side, probed by many batches.

pylibcudf binds a reusable table only for semi joins. For pairs, libcudf hashes the smaller side of
each call, which is fast because callers combine small batches.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.copying import OutOfBoundsPolicy
from pylibcudf.groupby import GroupBy, GroupByRequest
from pylibcudf.reduce import ScanType
from pylibcudf.types import NullEquality, NullOrder, NullPolicy, Order

from broadhead.kernels.cudf.compare import normalize
from broadhead.kernels.cudf.host import from_host
from broadhead.kernels.cudf.physical import (
    BOOL,
    DECIMAL128,
    INT32,
    INT64,
    LONG_MAX,
    LONG_MIN,
    Column,
    binary,
    cast,
    compact,
    constant,
    element,
    expand,
    null_scalar,
    null_where,
    test,
    value_of,
)
from broadhead.kernels.cudf.rows import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UNEQUAL = NullEquality.UNEQUAL


class JoinTable:
    """The keys of a build side."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = [
            _with_own_nulls(
                compact(key) if key.type().id() == TypeId.DECIMAL128 else normalize(key)
            )
            for key in keys
        ]
        # the filter below does not keep its columns alive
        self._table = plc.Table(self._keys)
        self._length = int(keys[0].size())
        self._marked = Bitmap(self._length)

    def pairs(
        self, keys: Sequence[Column], limit: int, *, outer: bool
    ) -> Iterator[tuple[Column | None, Column]]:
        """The pairs of rows with equal keys, in no order, in batches of about `limit` pairs."""
        rows = int(keys[0].size())
        if not rows:
            return
        if not self._length:
            if outer:
                yield None, expand(null_scalar(INT32), rows)
            return
        probe = self._probe_table(keys)
        for start, end in self._ranges(probe, rows, limit):
            yield from self._pairs_of_range(probe, rows, start, end, outer=outer)

    def _pairs_of_range(
        self, probe: plc.Table, rows: int, start: int, end: int, *, outer: bool
    ) -> Iterator[tuple[Column, Column]]:
        part = probe
        if end - start < rows:
            (part,) = plc.copying.slice(probe, [start, end])
        join = plc.join.left_join if outer else plc.join.inner_join
        probe_rows, build_rows = join(part, self._table, _UNEQUAL)
        if not probe_rows.size():
            return
        if outer:
            missing = test(build_rows, BinaryOperator.LESS, constant(0, INT32))
            build_rows = null_where(build_rows, missing)
        if start:
            probe_rows = binary(probe_rows, BinaryOperator.ADD, constant(start, INT32), INT32)
        yield probe_rows, build_rows

    def matches(self, keys: Sequence[Column]) -> Column:
        """Mask of the probe rows that have a match."""
        found = Bitmap(int(keys[0].size()))
        if keys[0].size() and self._length:
            found.add(self._filter.semi_join(self._probe_table(keys)))
        return found.mask()

    def differs(self, keys: Sequence[Column], values: Column, built: Column) -> None:
        """None: pairs are fast on a GPU."""

    def mark(self, keys: Sequence[Column]) -> None:
        """Record the build rows that match these probe rows."""
        if keys[0].size() and self._length:
            probe = self._probe_table(keys)
            self._marked.add(plc.join.left_semi_join(self._table, probe, _UNEQUAL))

    def marked(self) -> Column:
        """Mask of the build rows recorded by `mark`."""
        return self._marked.mask()

    @cached_property
    def _filter(self) -> plc.join.FilteredJoin:
        return plc.join.FilteredJoin(self._table, _UNEQUAL)

    @cached_property
    def _counts(self) -> tuple[plc.Table, Column, int]:
        """The distinct keys without nulls, their numbers of rows, and the greatest number."""
        request = GroupByRequest(self._keys[0], [plc.aggregation.count(NullPolicy.INCLUDE)])
        groups, (table,) = GroupBy(self._table, NullPolicy.EXCLUDE).aggregate([request])
        counts = cast(table.columns()[0], INT64)
        if not counts.size():
            return groups, counts, 0
        most = plc.reduce.reduce(counts, plc.aggregation.max(), INT64)
        return groups, counts, int(value_of(most))

    def _ranges(self, probe: plc.Table, rows: int, limit: int) -> Iterator[tuple[int, int]]:
        """Ranges of probe rows with about `limit` pairs each, or one row with more."""
        groups, counts, most = self._counts
        # an unmatched row of an outer join gives one pair as well
        if rows * max(most, 1) <= limit or most <= 1:
            yield 0, rows
            return
        left, right = plc.join.left_join(probe, groups, _UNEQUAL)
        (each,) = plc.copying.gather(
            plc.Table([counts]), right, OutOfBoundsPolicy.NULLIFY
        ).columns()
        found = plc.Table([plc.replace.replace_nulls(each, constant(1, INT64))])
        (ordered,) = plc.copying.scatter(found, left, found).columns()
        ends = plc.reduce.scan(ordered, plc.aggregation.sum(), ScanType.INCLUSIVE)
        total = int(value_of(element(ends, rows - 1)))
        start = 0
        for cut in [*_cuts(ends, total, limit), rows]:
            if cut > start:
                yield start, cut
                start = cut

    def _probe_table(self, keys: Sequence[Column]) -> plc.Table:
        pairs = zip(keys, self._keys, strict=True)
        return plc.Table([_with_own_nulls(_like(key, built)) for key, built in pairs])


def _with_own_nulls(key: Column) -> Column:
    """The key, copied if it is a slice with nulls.

    Semi joins of libcudf look for a row's null at the row's index in the whole column.
    """
    return whole(key) if key.null_count() else key


def _cuts(ends: Column, total: int, limit: int) -> list[int]:
    """The numbers of rows after which the running total exceeds each multiple of `limit`."""
    multiples = from_host(pa.array(range(limit, total, limit), pa.int64()))
    if not multiples.size():
        return []
    found = plc.search.lower_bound(
        plc.Table([ends]), plc.Table([multiples]), [Order.ASCENDING], [NullOrder.AFTER]
    )
    return [int(row) + 1 for row in found.to_arrow().to_pylist()]


def _like(key: Column, built: Column) -> Column:
    """A probe key in the type of the build key; null if no build key can be equal to it."""
    if key.type().id() != TypeId.DECIMAL128 or built.type().id() == TypeId.DECIMAL128:
        return cast(key, DECIMAL128) if built.type().id() == TypeId.DECIMAL128 else normalize(key)
    below = test(key, BinaryOperator.LESS, constant(LONG_MIN, DECIMAL128))
    above = test(key, BinaryOperator.GREATER, constant(LONG_MAX, DECIMAL128))
    outside = test(below, BinaryOperator.LOGICAL_OR, above)
    return null_where(cast(key, INT64), outside)


class Bitmap:
    """A growing set of row ids."""

    def __init__(self, length: int) -> None:
        self._mask = expand(constant(False, BOOL), length)

    def add(self, rows: Column) -> None:
        """Add these row ids to the set."""
        if rows.size():
            target = plc.Table([self._mask])
            (self._mask,) = plc.copying.scatter([constant(True, BOOL)], rows, target).columns()

    def mask(self) -> Column:
        """Mask of the rows in the set."""
        return self._mask


def build(keys: Sequence[Column]) -> JoinTable:
    """A join table of rows with these keys."""
    return JoinTable(keys)


def cross(probe_rows: int, build_rows: int, limit: int) -> Iterator[tuple[Column, Column]]:
    """All pairs of the rows, ordered by probe row, in batches of at most `limit` pairs."""
    total = probe_rows * build_rows
    divisor = constant(build_rows, INT64)
    for low in range(0, total, limit):
        length = min(limit, total - low)
        numbers = plc.filling.sequence(length, constant(low, INT64), constant(1, INT64))
        yield (
            binary(numbers, BinaryOperator.DIV, divisor, INT64),
            binary(numbers, BinaryOperator.MOD, divisor, INT64),
        )


def scans(rows: int) -> bool:
    """False: on a GPU, millions of pairs take less time than the start of one pass."""
    return False


def bitmap(length: int) -> Bitmap:
    """An empty set of row ids below `length`."""
    return Bitmap(length)
