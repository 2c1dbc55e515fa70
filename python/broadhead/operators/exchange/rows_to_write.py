"""FileWrite: rows that the host half writes to table files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.operators.aggregate.aggregate_table import AggregateTable
from broadhead.operators.aggregate.hash_aggregate import InputPhase
from broadhead.plan.expressions import BoundReference
from broadhead.plan.nodes import Attribute, HashAggregate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.file_write import FileWrite


def rows_to_write(node: FileWrite, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's batches, which are counted if the file has statistics."""
    return _counted(node, child, run) if node.statistics else child


def _counted(node: FileWrite, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    keys = [node.output[ordinal] for ordinal in node.partition_columns]
    buffers = HashAggregate(
        id=node.id,
        output=(
            *keys,
            *(
                Attribute(call.name, buffer.type, buffer.nullable)
                for call in node.statistics
                for buffer in call.buffers
            ),
        ),
        children=node.children,
        grouping=tuple(
            BoundReference(ordinal, key.type, nullable=key.nullable)
            for ordinal, key in zip(node.partition_columns, keys, strict=True)
        ),
        aggregates=node.statistics,
        results=(),
    )
    phase = InputPhase(buffers, run)
    table = AggregateTable(buffers, run)
    for batch in child:
        if batch.length:
            table.add(phase.aggregate(batch), grouped=True)
        yield batch
    run.file_statistics.extend(_on_host(row, buffers, run) for row in table.drain())


def _on_host(row: Batch, node: HashAggregate, run: Run) -> pa.RecordBatch:
    columns = [run.kernels.columns.to_arrow(column.data, column.type) for column in row.columns]
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(node.output))
