"""RowSource: batches from the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import most_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Attribute, RowSource


def row_source(node: RowSource, run: Run) -> Iterator[Batch]:
    """The source's batches in their physical form, of at most the device's batch size."""
    for record_batch in run.sources.batches(node.source):
        yield from physical_batches(record_batch, node.output, run)


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
