"""MapInPython: the rows that a function makes of the task's batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch
from broadhead.operators.python.function_inputs import (
    FunctionInputs,
    FunctionResults,
    in_batches,
)
from broadhead.operators.rows.batch_rows import divide_batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Attribute
    from broadhead.plan.python_nodes import MapInPython


def map_in_python(node: MapInPython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the function's rows."""
    inputs = FunctionInputs(node.inputs, node.input_names, node.functions, run)
    batches = in_batches(map(inputs.of, child), node.functions.batch_rows)
    results = run.functions_of(node).over_batches(node.functions, batches)
    yield from result_rows(results, node.output, run)


def result_rows(
    results: Iterator[pa.RecordBatch], output: Sequence[Attribute], run: Run
) -> Iterator[Batch]:
    """Rows that functions have returned, each batch a struct in its only column."""
    found = FunctionResults(output, run)
    for result in results:
        if result.num_rows:
            columns = found.columns(result.column(0).flatten())
            yield from divide_batch(Batch(columns, result.num_rows), run)
