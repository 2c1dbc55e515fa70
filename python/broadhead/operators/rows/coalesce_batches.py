"""Concatenation of small batches, so that later operators are not called for a few rows each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.operators.context import Run

_MEMORY_SHARE = 8
"""Fraction of an operator's memory that waiting rows may use."""


def coalesce_batches(batches: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The same rows in the same order; no batch is empty.

    Batches of at least half the device's batch size stay unchanged, smaller ones are concatenated
    up to that number of rows or bytes.
    """
    enough_rows = max(1, run.kernels.device.batch_rows(run.settings) // 2)
    enough_bytes = min(run.settings.operator_memory // _MEMORY_SHARE, run.batch_bytes)
    waiting: list[Batch] = []
    rows = size = 0
    for batch in batches:
        if batch.length >= enough_rows:
            yield from _flush(waiting, run)
            yield batch
            waiting, rows, size = [], 0, 0
        elif batch.length:
            waiting.append(batch)
            rows += batch.length
            size += batch_bytes(batch, run)
            if rows >= enough_rows or size >= enough_bytes:
                yield from _flush(waiting, run)
                waiting, rows, size = [], 0, 0
    yield from _flush(waiting, run)


def _flush(waiting: Sequence[Batch], run: Run) -> Iterator[Batch]:
    if waiting:
        yield concat_batches(waiting, run)
