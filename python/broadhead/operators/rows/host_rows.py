"""Conversion of rows on the host to batches of the kernels, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import concat_batches
from broadhead.shuffle.block import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.types import DataType


def batches_of(rows: Iterable[Rows], types: Sequence[DataType], run: Run) -> Iterator[Batch]:
    """The rows as batches of up to the device's batch size, concatenated on the device."""
    limit = run.kernels.device.batch_rows(run.settings)
    waiting: list[Batch] = []
    count = 0
    for chunk in rows:
        for start in range(0, chunk.length, limit):
            batch = _batch(chunk, start, min(limit, chunk.length - start), types, run)
            if waiting and count + batch.length > limit:
                yield concat_batches(waiting, run)
                waiting, count = [], 0
            waiting.append(batch)
            count += batch.length
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
