"""Concatenating, slicing and measuring batches."""

from __future__ import annotations

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
    limit = most_rows(run, batch)
    for start in range(0, batch.length, limit):
        yield cut_batch(batch, start, min(limit, batch.length - start), run)


def most_rows(run: Run, *sides: Batch) -> int:
    """The rows of a batch that has the columns of `sides`, as wide as theirs are on average."""
    limit = run.kernels.device.batch_rows(run.settings)
    width = sum(batch_bytes(side, run) / side.length for side in sides if side.length)
    return limit if width * limit <= run.batch_bytes else max(1, int(run.batch_bytes / width))


def batch_bytes(batch: Batch, run: Run) -> int:
    """Memory of the rows, in bytes."""
    return sum(run.kernels.columns.nbytes(column.data) for column in batch.columns)
