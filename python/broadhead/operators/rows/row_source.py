"""RowSource: batches from the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import most_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Attribute, RowSource


_MOST_BYTES = 256 << 20
"""A column of texts may have 2 GiB."""

_FIRST_ROWS = 8192
"""So many rows wait for none after them: a query may need no more."""


def row_source(node: RowSource, run: Run) -> Iterator[Batch]:
    """The source's batches in their physical form, of at most the device's batch size."""
    for record_batch in _joined(run.sources.batches(node.source), run):
        yield from physical_batches(record_batch, node.output, run)


def _joined(batches: Iterable[pa.RecordBatch], run: Run) -> Iterator[pa.RecordBatch]:
    """The same rows in larger batches, from half the device's batch size on.

    Frames from the JVM are small, since its collector handles large arrays badly.
    """
    enough_rows = run.kernels.device.batch_rows(run.settings) // 2
    enough_bytes = min(run.batch_bytes, _MOST_BYTES)
    waiting: list[pa.RecordBatch] = []
    rows = size = sent = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if sent < _FIRST_ROWS or rows >= enough_rows or size >= enough_bytes:
            yield pa.concat_batches(waiting)
            sent += rows
            waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.concat_batches(waiting)


def physical_batches(
    record_batch: pa.RecordBatch, output: Sequence[Attribute], run: Run
) -> Iterator[Batch]:
    """The rows in their physical form, in batches of at most the device's batch size."""
    columns = run.kernels.columns
    limit = most_rows(record_batch.nbytes / max(1, record_batch.num_rows), run)
    for start in range(0, record_batch.num_rows, limit):
        batch: pa.RecordBatch = record_batch.slice(start, limit)
        yield Batch(
            tuple(
                Column(columns.from_arrow(array, attribute.type), attribute.type)
                for array, attribute in zip(batch.columns, output, strict=True)
            ),
            batch.num_rows,
        )
