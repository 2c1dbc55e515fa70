"""LocalTable: rows that are part of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.rows.range import slice_bounds
from broadhead.operators.rows.row_source import physical_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import LocalTable


def local_table(node: LocalTable, run: Run) -> Iterator[Batch]:
    """Batches of the task's slice: `SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(n, s)`."""
    import pyarrow as pa

    from broadhead.arrow_layout import arrow_schema

    message = pa.ipc.read_message(pa.py_buffer(node.data))
    rows = pa.ipc.read_record_batch(message, arrow_schema(node.output))
    first, stop = slice_bounds(rows.num_rows, node.slices, run.sources.part(node.id))
    yield from physical_batches(rows.slice(first, stop - first), node.output, run)
