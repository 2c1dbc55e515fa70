"""AggregatePython: one row for each group, with one value of each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.columns import Batch
from broadhead.operators.python.function_inputs import FunctionInputs, FunctionResults
from broadhead.operators.python.grouped_inputs import GroupedBatch, GroupedInputs
from broadhead.plan.nodes import Attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.operators.python.user_functions import Group
    from broadhead.plan.python_nodes import AggregatePython


def aggregate_python(node: AggregatePython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """One batch of results for each batch of whole groups."""
    inputs = FunctionInputs(node.inputs, (), node.functions, run)
    grouped = GroupedInputs(node.grouping, inputs, run)
    limit = node.functions.batch_rows
    asked: list[GroupedBatch] = []

    def groups() -> Iterator[Group]:
        for batch in grouped.of(child):
            asked.append(batch)
            for number in range(len(batch.ranges.starts)):
                yield (batch.group(number, limit),)

    calls = [Attribute(call.name, call.type, True) for call in node.functions.calls]
    found = FunctionResults(calls, run)
    program = run.compile(node.results)
    values: list[pa.RecordBatch] = []
    for value in run.functions_of(node).over_groups(node.functions, groups()):
        values.append(value)
        if asked and len(values) == len(asked[0].ranges.starts):
            table = pa.Table.from_batches(values)
            keys = asked.pop(0).first_keys
            row = Batch((*keys, *found.columns(table.columns)), len(values))
            yield Batch(tuple(program.evaluate(row)), row.length)
            values = []
