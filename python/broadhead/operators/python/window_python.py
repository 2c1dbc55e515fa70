"""WindowPython: the value of each call over the frame of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.columns import Batch
from broadhead.operators.python.function_inputs import (
    FunctionInputs,
    FunctionResults,
    in_batches,
)
from broadhead.operators.python.grouped_inputs import GroupedBatch, GroupedInputs
from broadhead.operators.python.measured_functions import MeasuredFunctions
from broadhead.operators.rows.batch_rows import divide_batch
from broadhead.plan.python_nodes import PythonArgument
from broadhead.types import LONG
from broadhead.window_functions.frames import frame_bounds, is_whole
from broadhead.window_functions.rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Column
    from broadhead.operators.context import Run
    from broadhead.operators.user_functions import Group
    from broadhead.plan.python_nodes import PythonCalls, WindowPython
    from broadhead.plan.windows import Frame


def window_python(node: WindowPython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the child's columns, then the calls' values."""
    inputs = FunctionInputs(node.inputs, (), node.functions, run)
    grouped = GroupedInputs(node.partition, inputs, run)
    frames = _Frames.of(node)
    asked: list[GroupedBatch] = []

    def groups() -> Iterator[Group]:
        for batch in grouped.of(child):
            asked.append(batch)
            sent = frames.before(batch, node, run)
            for start, end in zip(*batch.ranges, strict=True):
                yield (in_batches([sent.slice(start, end - start)], node.functions.batch_rows),)

    width = len(node.output) - len(node.functions.calls)
    found = FunctionResults(node.output[width:], run)
    values: list[pa.RecordBatch] = []
    rows = 0
    for value in MeasuredFunctions(node, run).over_groups(frames.functions, groups()):
        values.append(value)
        rows += value.num_rows
        if asked and rows == asked[0].rows.length:
            batch = asked.pop(0).rows
            table = pa.Table.from_batches(values)
            columns: tuple[Column, ...] = (*batch.columns, *found.columns(table.columns))
            yield from divide_batch(Batch(columns, batch.length), run)
            values, rows = [], 0


@dataclass(frozen=True, slots=True)
class _Frames:
    """The frames that are not whole partitions, whose bounds are inputs before all others."""

    bounded: tuple[Frame, ...]
    functions: PythonCalls

    @classmethod
    def of(cls, node: WindowPython) -> _Frames:
        whole = [is_whole(frame, ordered=bool(node.order)) for frame in node.frames]
        bounded = tuple(
            dict.fromkeys(f for f, all_ in zip(node.frames, whole, strict=True) if not all_)
        )
        calls = []
        for call, frame, all_ in zip(node.functions.calls, node.frames, whole, strict=True):
            moved = [
                replace(argument, input=argument.input + 2 * len(bounded))
                for argument in call.arguments
            ]
            if not all_:
                first = 2 * bounded.index(frame)
                moved = [PythonArgument(None, first), PythonArgument(None, first + 1), *moved]
            calls.append(replace(call, arguments=tuple(moved)))
        kinds = ",".join("unbounded" if all_ else "bounded" for all_ in whole)
        # the second name is that of Spark 4.0
        names = ("window_bound_types", "pandas_window_bound_types")
        conf = {**node.functions.conf, **dict.fromkeys(names, kinds)}
        return cls(bounded, replace(node.functions, calls=tuple(calls), conf=conf))

    def before(self, batch: GroupedBatch, node: WindowPython, run: Run) -> pa.RecordBatch:
        """The inputs of a batch with the bounds of its rows' frames, relative to the partition."""
        if not self.bounded:
            return batch.inputs
        k = run.kernels
        order = run.compile([o.expression for o in node.order]).evaluate(batch.rows)
        rows = SortedRows(
            k, batch.rows.length, batch.keys, list(zip(order, node.order, strict=True)), run.zones
        )
        first = rows.partitions.first
        arrays: list[pa.Array] = []
        for frame in self.bounded:
            bounds = frame_bounds(rows, frame)
            for position in (bounds.begin, bounds.end):
                relative = k.arithmetic.subtract(position, first)
                arrays.append(k.columns.to_arrow(relative, LONG).cast(pa.int32()))
        columns = [*arrays, *batch.inputs.columns]
        return pa.RecordBatch.from_arrays(columns, [f"_{n}" for n in range(len(columns))])
