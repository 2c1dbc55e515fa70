"""FileScan: rows of files in any format, with the values of their partition columns."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.scan.csv.csv_format import read_csv
from broadhead.operators.scan.json.json_format import read_json
from broadhead.operators.scan.orc.orc_format import read_orc
from broadhead.operators.scan.parquet.parquet_format import read_parquet
from broadhead.operators.scan.text.text_format import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from broadhead.operators.context import Run
    from broadhead.operators.scan.read_rows import ReadRows
    from broadhead.plan.nodes import FileScan

FORMATS: Mapping[str, Callable[[FileScan, Run], Iterator[ReadRows]]] = {
    "parquet": read_parquet,
    "csv": read_csv,
    "json": read_json,
    "text": read_text,
    "orc": read_orc,
}
"""The rows of a scan's splits, by the name of the format in the wire format."""


def file_scan(node: FileScan, run: Run) -> Iterator[Batch]:
    """Batches of the scan's data columns, then its partition columns.

    Raises OSError, pyarrow's errors or `EngineLimit` for files that the format cannot read like
    Spark.
    """
    found = FORMATS[node.format](node, run)
    while True:
        start = time.perf_counter_ns()
        rows = next(found, None)
        run.metrics.add(node.id, "readTime", time.perf_counter_ns() - start)
        if rows is None:
            return
        yield Batch(
            _data_columns(node, rows, run) + _partition_columns(node, rows, run), rows.length
        )


def _data_columns(node: FileScan, rows: ReadRows, run: Run) -> tuple[Column, ...]:
    columns = run.kernels.columns
    return tuple(
        Column(
            rows.arrays[i]
            if i in rows.arrays
            else columns.full(columns.scalar(None, attribute.type), rows.length),
            attribute.type,
        )
        for i, attribute in enumerate(node.output[: len(node.data_columns)])
    )


def _partition_columns(node: FileScan, rows: ReadRows, run: Run) -> tuple[Column, ...]:
    """The partition values of each split, repeated for its rows."""
    columns = run.kernels.columns
    attributes = node.output[len(node.data_columns) :]
    result = []
    for ordinal, attribute in zip(node.partition_ordinals, attributes, strict=True):
        parts = [
            [columns.full(columns.scalar(value, attribute.type), count)]
            for split, count in rows.splits
            if count
            for value in [split.partition_values[ordinal]]
        ]
        data = parts[0] if len(parts) == 1 else columns.concat(parts)
        result.append(Column(data[0], attribute.type))
    return tuple(result)
