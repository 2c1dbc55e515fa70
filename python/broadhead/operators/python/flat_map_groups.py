"""FlatMapGroups: the rows that a function makes of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.python.device_rows import is_on_device
from broadhead.operators.python.function_inputs import FunctionInputs
from broadhead.operators.python.grouped_inputs import GroupedInputs
from broadhead.operators.python.map_in_python import device_result_rows, result_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.operators.python.user_functions import Group
    from broadhead.plan.python_nodes import FlatMapGroups


def flat_map_groups(node: FlatMapGroups, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the function's rows, group by group."""
    inputs = FunctionInputs(node.inputs, node.input_names, node.functions, run)
    grouped = GroupedInputs(node.grouping, inputs, run)
    if is_on_device(node, run):
        return device_result_rows(node, grouped.on_device(child, node.device), run)
    limit = node.functions.batch_rows

    def groups() -> Iterator[Group]:
        for batch in grouped.of(child):
            for number in range(len(batch.ranges.starts)):
                yield (batch.group(number, limit),)

    results = run.functions_of(node).over_groups(node.functions, groups())
    return result_rows(results, node.output, run)
