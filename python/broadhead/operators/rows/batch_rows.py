"""Concatenating, slicing and measuring batches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run


def with_data(columns: Sequence[Column], data: Sequence[Array], length: int) -> Batch:
    """A batch with the column types of another one and other data."""
    pairs = zip(data, columns, strict=True)
    return Batch(tuple(Column(values, column.type) for values, column in pairs), length)


def concat_batches(batches: Sequence[Batch], run: Run) -> Batch:
    """The concatenated rows of all batches, at least one, of the same columns."""
    first = batches[0]
    if len(batches) == 1:
        return first
    length = sum(batch.length for batch in batches)
    if not first.columns:
        return Batch((), length)
    data = run.kernels.columns.concat([[c.data for c in b.columns] for b in batches])
    return with_data(first.columns, data, length)


def cut_batch(batch: Batch, start: int, length: int, run: Run) -> Batch:
    """`length` rows from `start`."""
    if length == batch.length:
        return batch
    data = run.kernels.columns.slice([c.data for c in batch.columns], start, length)
    return with_data(batch.columns, data, length)


def divide_batch(batch: Batch, run: Run) -> Iterator[Batch]:
    """The rows in batches of at most the device's batch size; none if there are no rows."""
    limit = most_rows(row_bytes(batch, run), run)
    for start in range(0, batch.length, limit):
        yield cut_batch(batch, start, min(limit, batch.length - start), run)


def most_rows(width: float, run: Run) -> int:
    """The rows of a batch whose rows have so many bytes each."""
    limit = run.kernels.device.batch_rows(run.settings)
    return limit if width * limit <= run.batch_bytes else max(1, int(run.batch_bytes / width))


def row_bytes(batch: Batch, run: Run) -> float:
    """The mean memory of a row, in bytes; 0 without rows, and where batches of any size fit."""
    if not batch.length or run.batch_bytes == sys.maxsize:
        return 0.0
    return batch_bytes(batch, run) / batch.length


def batch_bytes(batch: Batch, run: Run) -> int:
    """Memory of the rows, in bytes."""
    return sum(run.kernels.columns.nbytes(column.data) for column in batch.columns)
