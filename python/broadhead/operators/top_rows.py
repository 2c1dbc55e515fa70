"""The first rows of a sort, without sorting the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.batch_rows import concat_batches
from broadhead.operators.sorted_runs import SortedRuns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.sort_keys import SortKeys


MAX_PARTS = 32
"""Batches' first rows that wait until they are put together."""


def top_rows(limit: int, keys: SortKeys, child: Iterator[Batch]) -> Iterator[Batch]:
    """The first `limit` rows in order, of which no more than about twice as many are held.

    If these take more memory than an operator may keep, they are sorted as all rows would be.
    """
    if limit == 0:
        return
    run = keys.run
    held: list[Batch] = []
    held_rows = 0
    for batch in child:
        held.append(_first(keys.attach(batch), limit, keys))
        held_rows += held[-1].length
        most = 2 * limit + run.kernels.device.batch_rows(run.settings)
        if held_rows > most or len(held) > MAX_PARTS:
            held = [_first(concat_batches(held, run), limit, keys)]
            held_rows = held[0].length
        if sum(map(keys.nbytes, held)) > run.settings.operator_memory:
            yield from _sorted(limit, held, keys, child)
            return
    if held:
        yield from _batches(_first(concat_batches(held, run), limit, keys), keys)


def _first(rows: Batch, limit: int, keys: SortKeys) -> Batch:
    """The first `limit` of the rows, in order."""
    return keys.take(rows, keys.run.kernels.sort.top(keys.of(rows), keys.orders, limit))


def _batches(rows: Batch, keys: SortKeys) -> Iterator[Batch]:
    size = keys.run.kernels.device.batch_rows(keys.run.settings)
    for start in range(0, rows.length, size):
        yield keys.detach(keys.cut(rows, start, min(size, rows.length - start)))


def _sorted(
    limit: int, held: list[Batch], keys: SortKeys, child: Iterator[Batch]
) -> Iterator[Batch]:
    runs = SortedRuns(keys)
    for rows in held:
        runs.add(rows)
    held.clear()
    for batch in child:
        runs.add(keys.attach(batch))
    left = limit
    for rows in runs.drain():
        yield keys.detach(rows if rows.length <= left else keys.cut(rows, 0, left))
        left -= rows.length
        if left <= 0:
            return
