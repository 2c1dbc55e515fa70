"""The values of a Window's functions for rows that are whole partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.operators.aggregate.aggregate_calls import (
    filtered_inputs,
    implementation_of,
    run_rounds,
)
from broadhead.plan.windows import AggregateWindow, WindowCall, expressions_of
from broadhead.window_functions.frames import is_whole
from broadhead.window_functions.registry import window_functions
from broadhead.window_functions.rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Grouping
    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import AggregateCall
    from broadhead.plan.sort_order import SortOrder
    from broadhead.plan.windows import Frame, Window

Inputs = list[Column]
"""The arguments of a function; for an aggregate function, the inputs of its `update`."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The values of a Window's expressions for some rows."""

    partition: list[Column]
    order: list[tuple[Column, SortOrder]]
    inputs: list[Inputs]


class WindowColumns:
    """A Window's expressions, compiled, and their evaluation."""

    def __init__(self, node: Window, run: Run) -> None:
        self._node = node
        self._run = run
        expressions: list[Expression] = [*node.partition]
        expressions += [order.expression for order in node.order]
        for function in node.functions:
            expressions += expressions_of(function)
        self._program = run.compile(expressions)

    def evaluate(self, batch: Batch) -> list[Column]:
        """One column for each function; the batch is whole partitions, in order, not empty."""
        prepared = self.prepare(batch)
        inputs = prepared.inputs
        rows = SortedRows(
            self._run.kernels, batch.length, prepared.partition, prepared.order, self._run.zones
        )
        found: dict[int, Column] = {}
        for frame in {f.frame: f for f in self._aggregates()}:
            found.update(self._aggregated(rows, inputs, frame))
        for number, function in enumerate(self._node.functions):
            if isinstance(function, WindowCall):
                evaluate = window_functions()[function.name].evaluate
                found[number] = evaluate(rows, function, inputs[number])
        return [found[number] for number in range(len(self._node.functions))]

    def prepare(self, batch: Batch) -> Prepared:
        """The keys of the rows, and the inputs of each function."""
        values = iter(self._program.evaluate(batch))
        return Prepared(
            [next(values) for _ in self._node.partition],
            [(next(values), order) for order in self._node.order],
            [self._inputs(function, values) for function in self._node.functions],
        )

    def _inputs(self, function: WindowCall | AggregateWindow, values: Iterator[Column]) -> Inputs:
        if isinstance(function, WindowCall):
            return [next(values) for _ in function.children]
        call = function.call
        arguments = [next(values) for _ in call.children]
        condition = next(values) if call.filter is not None else None
        return filtered_inputs(self._run.kernels, call, arguments, condition)

    def _aggregates(self) -> list[AggregateWindow]:
        return [f for f in self._node.functions if isinstance(f, AggregateWindow)]

    def _aggregated(
        self, rows: SortedRows, inputs: Sequence[Inputs], frame: Frame
    ) -> dict[int, Column]:
        """The aggregates over one frame; for a whole partition they are computed once."""
        whole = is_whole(frame, ordered=bool(self._node.order))
        window = self._run.kernels.window
        if whole:
            grouping = window.frames(rows.partitions.starts, rows.partitions.ends, "begin")
        else:
            bounds = rows.bounds(frame)
            grouping = window.frames(bounds.begin, bounds.end, bounds.anchor)
        numbers = [
            number
            for number, function in enumerate(self._node.functions)
            if isinstance(function, AggregateWindow) and function.frame == frame
        ]
        calls = [f.call for f in self._aggregates() if f.frame == frame]
        results = aggregate_frames(self._run, calls, [inputs[n] for n in numbers], grouping)
        if whole:
            spread = (rows.at(result.data, rows.partitions.number) for result in results)
            results = [
                Column(data, result.type) for data, result in zip(spread, results, strict=True)
            ]
        return dict(zip(numbers, results, strict=True))


def aggregate_frames(
    run: Run, calls: Sequence[AggregateCall], inputs: Sequence[Inputs], grouping: Grouping
) -> list[Column]:
    """The result of each call for each frame."""
    buffers = update_frames(run, calls, inputs, grouping)
    return [finished(run, call, own) for call, own in zip(calls, buffers, strict=True)]


def update_frames(
    run: Run, calls: Sequence[AggregateCall], inputs: Sequence[Inputs], grouping: Grouping
) -> list[list[Column]]:
    """The buffers of each call for each frame."""
    k = run.kernels
    rounds = [
        implementation_of(call, run).update(k, grouping, call, columns)
        for call, columns in zip(calls, inputs, strict=True)
    ]
    buffers = iter(run_rounds(rounds, grouping))
    return [[next(buffers) for _ in call.buffers] for call in calls]


def finished(run: Run, call: AggregateCall, buffers: Sequence[Column]) -> Column:
    """The result of a call's buffers."""
    return implementation_of(call, run).finish(run.kernels, call, buffers)
