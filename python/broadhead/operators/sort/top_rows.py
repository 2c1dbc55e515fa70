"""The first rows of a sort, without sorting the others."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import concat_batches
from broadhead.operators.sort.sort_bound import SortBound
from broadhead.operators.sort.sorted_runs import SortedRuns, first_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Batch
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
        if sum(map(keys.nbytes, held)) > run.settings.operator_memory:
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
