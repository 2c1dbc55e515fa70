"""FlatMapGroups: the rows that a function makes of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.python.device_rows import is_on_device
from broadhead.operators.python.function_inputs import FunctionInputs
from broadhead.operators.python.grouped_inputs import GroupedInputs
from broadhead.operators.python.map_in_python import device_result_rows, result_rows
from broadhead.operators.python.measured_functions import MeasuredFunctions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.python_nodes import FlatMapGroups


def flat_map_groups(node: FlatMapGroups, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the function's rows, group by group."""
    inputs = FunctionInputs(node.inputs, node.input_names, node.functions, run)
    grouped = GroupedInputs(node.grouping, inputs, run)
    if is_on_device(node, run):
        return device_result_rows(node, grouped.on_device(child, node.device), run)
    batches = (batch.grouped_rows for batch in grouped.of(child))
    results = MeasuredFunctions(node, run).over_grouped_rows(node.functions, batches)
    return result_rows(results, node.output, run)
