"""FileWrite: rows that the host half writes to table files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.operators.aggregate.aggregate_table import AggregateTable
from broadhead.operators.aggregate.hash_aggregate import InputPhase
from broadhead.operators.exchange.text_extremes import text_extremes
from broadhead.plan.expressions import BoundReference
from broadhead.plan.nodes import Attribute, HashAggregate

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.file_write import FileWrite
    from broadhead.plan.nodes import AggregateCall


def rows_to_write(node: FileWrite, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's batches, which are counted if the file has statistics."""
    return _counted(node, child, run) if node.statistics else child


def _counted(node: FileWrite, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    # the host writer of a file, which finds them anyway, adds the extremes of texts
    left_out = text_extremes(node) if run.kernels.device.name == "cpu" else {}
    counted = tuple(c for n, c in enumerate(node.statistics) if n not in left_out)
    buffers = _aggregation(node, counted)
    phase = InputPhase(buffers, run)
    table = AggregateTable(buffers, run)
    for batch in child:
        if batch.length:
            table.add(phase.aggregate(batch), grouped=True)
        yield batch
    for row in table.drain():
        found = _on_host(row, buffers, run)
        run.file_statistics.append(_with_nulls(found, node, left_out) if left_out else found)


def _aggregation(node: FileWrite, calls: tuple[AggregateCall, ...]) -> HashAggregate:
    keys = [node.output[ordinal] for ordinal in node.partition_columns]
    return HashAggregate(
        id=node.id,
        output=(
            *keys,
            *(
                Attribute(call.name, buffer.type, buffer.nullable)
                for call in calls
                for buffer in call.buffers
            ),
        ),
        children=node.children,
        grouping=tuple(
            BoundReference(ordinal, key.type, nullable=key.nullable)
            for ordinal, key in zip(node.partition_columns, keys, strict=True)
        ),
        aggregates=calls,
        results=(),
    )


def _on_host(row: Batch, node: HashAggregate, run: Run) -> pa.RecordBatch:
    columns = [run.kernels.columns.to_arrow(column.data, column.type) for column in row.columns]
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(node.output))


def _with_nulls(row: pa.RecordBatch, node: FileWrite, left_out: Container[int]) -> pa.RecordBatch:
    """The row with nulls for the buffers of the statistics that are left out."""
    given = iter(row.columns)
    fields = [
        Attribute(call.name, buffer.type, buffer.nullable)
        for call in node.statistics
        for buffer in call.buffers
    ]
    schema = arrow_schema(fields)
    columns: list[pa.Array] = []
    for position, call in enumerate(node.statistics):
        for _ in call.buffers:
            kind = schema.field(len(columns)).type
            columns.append(pa.nulls(1, kind) if position in left_out else next(given))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
