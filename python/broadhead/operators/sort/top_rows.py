"""The first rows of a sort, without sorting the others."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import concat_batches, with_data
from broadhead.operators.sort.sorted_runs import SortedRuns, first_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array
    from broadhead.operators.sort.sort_keys import SortKeys

MAX_PARTS = 32
"""Number of waiting batches' first rows before they are concatenated."""


def top_rows(limit: int, keys: SortKeys, child: Iterator[Batch]) -> Iterator[Batch]:
    """The first `limit` rows in order, with at most about twice as many rows in memory.

    If these exceed the memory limit, they are sorted on disk. Rows that come after `limit` others
    by their first key are dropped first.
    """
    if limit == 0:
        return
    run = keys.run
    bound = SortBound(keys)
    held: list[Batch] = []
    held_rows = 0
    for batch in child:
        rows = bound.within(keys.attach(batch))
        if not rows.length:
            continue
        if rows.length > limit:
            rows = _first(rows, limit, keys, bound)
        held.append(rows)
        held_rows += rows.length
        most = 2 * limit + run.kernels.device.batch_rows(run.settings)
        if held_rows > most or len(held) > MAX_PARTS:
            held = [_first(concat_batches(held, run), limit, keys, bound)]
            held_rows = held[0].length
        if run.must_spill(sum(map(keys.nbytes, held))):
            yield from _sorted(limit, held, keys, child, bound)
            return
    if held:
        yield from _batches(_first(concat_batches(held, run), limit, keys, bound), keys)


def _first(rows: Batch, limit: int, keys: SortKeys, bound: SortBound) -> Batch:
    """The first `limit` of the rows, in order; rows after them are not needed any more."""
    first = keys.take(rows, keys.run.kernels.sort.top(keys.of(rows), keys.orders, limit))
    if first.length == limit:
        bound.lower(first)
    return first


def _batches(rows: Batch, keys: SortKeys) -> Iterator[Batch]:
    size = keys.run.kernels.device.batch_rows(keys.run.settings)
    for start in range(0, rows.length, size):
        yield keys.detach(keys.cut(rows, start, min(size, rows.length - start)))


def _sorted(
    limit: int, held: Sequence[Batch], keys: SortKeys, child: Iterator[Batch], bound: SortBound
) -> Iterator[Batch]:
    """The first rows of the rows so far and the remaining ones, from runs on disk.

    Whenever the runs have twice as many rows as needed, the others are dropped.
    """
    runs = SortedRuns(keys)
    for rows in map(bound.within, chain(held, map(keys.attach, child))):
        if rows.length:
            runs.add(rows)
        if runs.rows > 2 * limit and runs.has_spilled:
            bound.lower(runs.shorten(limit))
    yield from map(keys.detach, first_rows(runs.drain(), limit, keys))


class SortBound:
    """Drops the rows whose first key comes after that of a bound row.

    Rows with the bound's first key stay, though they may come after it by their other keys: one
    comparison of one key drops most rows of most inputs.
    """

    def __init__(self, keys: SortKeys) -> None:
        self._keys = keys
        self._key: Array | None = None

    def lower(self, rows: Batch) -> None:
        """Use the last of these sorted rows as the bound."""
        columns = self._keys.run.kernels.columns
        (self._key,) = columns.slice(self._keys.of(rows)[:1], rows.length - 1, 1)

    def within(self, rows: Batch) -> Batch:
        """The rows that may come before the bound; all rows as long as there is no bound."""
        if self._key is None or not rows.length:
            return rows
        columns = self._keys.run.kernels.columns
        mask = self._mask(self._keys.of(rows)[0])
        if mask is None:
            return rows
        data = columns.filter([column.data for column in rows.columns], mask)
        return with_data(rows.columns, data, columns.length(data[0]))

    def _mask(self, data: Array) -> Array | None:
        """True, and not null, for keys up to the bound; None if there are none."""
        kernels = self._keys.run.kernels
        ascending, nulls_first = self._keys.orders[0]
        if kernels.columns.null_count(self._key):
            return kernels.logic.is_null(data) if nulls_first else None
        bound = kernels.columns.first(self._key)
        sides = (data, bound) if ascending else (bound, data)
        mask = kernels.logic.is_true(kernels.compare.compare("less_equal", *sides))
        return kernels.logic.or_(mask, kernels.logic.is_null(data)) if nulls_first else mask
