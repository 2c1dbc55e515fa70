"""AggregatePython: one row for each group, with one value of each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.columns import Batch
from broadhead.operators.python.device_rows import is_on_device
from broadhead.operators.python.function_inputs import FunctionInputs, FunctionResults
from broadhead.operators.python.grouped_inputs import GroupedBatch, GroupedInputs
from broadhead.operators.python.measured_functions import MeasuredFunctions
from broadhead.plan.nodes import Attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.python_nodes import AggregatePython


def aggregate_python(node: AggregatePython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """One batch of results for each batch of whole groups."""
    inputs = FunctionInputs(node.inputs, (), node.functions, run)
    grouped = GroupedInputs(node.grouping, inputs, run)
    asked: list[GroupedBatch] = []
    calls = [Attribute(call.name, call.type, True) for call in node.functions.calls]
    found = FunctionResults(calls, run)
    program = run.compile(node.results)
    values: list[pa.RecordBatch] = []
    on_device = is_on_device(node, run)
    batches = grouped.large(child, node.device) if on_device else grouped.of(child)
    for value in _values(node, batches, asked, run):
        values.append(value)
        if asked and len(values) == len(asked[0].ranges.starts):
            table = pa.Table.from_batches(values)
            keys = asked.pop(0).first_keys
            row = Batch((*keys, *found.columns(table.columns)), len(values))
            yield Batch(tuple(program.evaluate(row)), row.length)
            values = []


def _values(
    node: AggregatePython,
    batches: Iterator[GroupedBatch],
    asked: list[GroupedBatch],
    run: Run,
) -> Iterator[pa.RecordBatch]:
    """The values of each group; the batches of the groups so far are added to `asked`."""
    functions = MeasuredFunctions(node, run)

    def noted() -> Iterator[GroupedBatch]:
        for batch in batches:
            asked.append(batch)
            yield batch

    if is_on_device(node, run):
        on_device = (
            batch.device_group(number)
            for batch in noted()
            for number in range(len(batch.ranges.starts))
        )
        for value in functions.over_device_rows(node, on_device, ()):
            assert isinstance(value, pa.RecordBatch)
            yield value
    else:
        grouped = (batch.grouped_rows for batch in noted())
        yield from functions.over_grouped_rows(node.functions, grouped)
