"""MapInPython: the rows that a function makes of the task's batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch
from broadhead.operators.python.device_rows import (
    DeviceResults,
    device_batches,
    is_on_device,
)
from broadhead.operators.python.function_inputs import (
    FunctionInputs,
    FunctionResults,
    in_batches,
)
from broadhead.operators.python.measured_functions import MeasuredFunctions
from broadhead.operators.rows.batch_rows import divide_batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from broadhead.operators.context import Run
    from broadhead.operators.user_functions import DeviceGroup
    from broadhead.plan.nodes import Attribute
    from broadhead.plan.python_nodes import MapInPython, PythonNode


def map_in_python(node: MapInPython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the function's rows."""
    inputs = FunctionInputs(node.inputs, node.input_names, node.functions, run)
    if is_on_device(node, run):
        return device_result_rows(node, device_batches(node, inputs, child, run), run)
    batches = in_batches(map(inputs.of, child), node.functions.batch_rows)
    results = MeasuredFunctions(node, run).over_batches(node.functions, batches)
    return result_rows(results, node.output, run)


def device_result_rows(
    node: PythonNode, groups: Iterator[DeviceGroup], run: Run
) -> Iterator[Batch]:
    """Rows that functions on a GPU have returned for batches or groups."""
    found = DeviceResults(node.output, run, in_struct=True)
    results = MeasuredFunctions(node, run).over_device_rows(node, groups, found.types)
    for result in results:
        batch = found.batch(result)
        if batch.length:
            yield from divide_batch(batch, run)


def result_rows(
    results: Iterator[pa.RecordBatch], output: Sequence[Attribute], run: Run
) -> Iterator[Batch]:
    """Rows that functions have returned, each batch a struct in its only column."""
    found = FunctionResults(output, run)
    for result in results:
        if result.num_rows:
            columns = found.columns(result.column(0).flatten())
            yield from divide_batch(Batch(columns, result.num_rows), run)
