"""Conversion of rows on the host to batches of the kernels, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import concat_batches, most_rows
from broadhead.shuffle.block import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.types import DataType


def batches_of(rows: Iterable[Rows], types: Sequence[DataType], run: Run) -> Iterator[Batch]:
    """The rows as batches of up to the device's batch size, concatenated on the device."""
    most, most_bytes = run.kernels.device.batch_rows(run.settings), run.batch_bytes
    waiting: list[Batch] = []
    count = held = 0
    for chunk in rows:
        width = chunk.nbytes / max(1, chunk.length)
        limit = most_rows(width, run)
        for start in range(0, chunk.length, limit):
            batch = _batch(chunk, start, min(limit, chunk.length - start), types, run)
            size = int(width * batch.length)
            if waiting and (count + batch.length > most or held + size > most_bytes):
                yield concat_batches(waiting, run)
                waiting, count, held = [], 0, 0
            waiting.append(batch)
            count += batch.length
            held += size
    if waiting:
        yield concat_batches(waiting, run)


def _batch(rows: Rows, start: int, length: int, types: Sequence[DataType], run: Run) -> Batch:
    columns = run.kernels.columns
    return Batch(
        tuple(
            Column(columns.from_host(array.slice(start, length), data_type), data_type)
            for array, data_type in zip(rows.arrays, types, strict=True)
        ),
        length,
    )


def rows_of(data: Sequence[object], types: Sequence[DataType], length: int, run: Run) -> Rows:
    """Physical data of the kernels on the host."""
    columns = run.kernels.columns
    return Rows(
        tuple(columns.to_host(d, data_type) for d, data_type in zip(data, types, strict=True)),
        length,
    )
