"""Rows of a batch, repeated by a count for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.kernels.interface.group import Request
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run


def repeated_rows(counts: Any, run: Run) -> Iterator[tuple[Any, Any, int]]:
    """The rows that counts (int64) make of a batch's rows, in slices of the batch size.

    Each slice has the ids of the source rows, the number of each row within its source row, and its
    length.
    """
    total = _total(counts, run)
    limit = run.kernels.device.batch_rows(run.settings)
    for start in range(0, total, limit):
        length = min(limit, total - start)
        yield *run.kernels.nested.unfold(counts, start, length), length


def _total(counts: Any, run: Run) -> int:
    columns = run.kernels.columns
    grouping = run.kernels.group.group([], columns.length(counts))
    (total,) = grouping.aggregate([Request("sum", counts)])
    value = columns.to_arrow(total, LONG)[0].as_py()
    return value or 0


def taken(columns: Sequence[Column], rows: Any, run: Run) -> tuple[Column, ...]:
    """Columns of the given rows alone."""
    data = run.kernels.columns.take([column.data for column in columns], rows)
    return tuple(Column(d, c.type) for d, c in zip(data, columns, strict=True))
