"""HashAggregate: groups rows by keys and keeps Spark's aggregation buffers for each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.aggregate.aggregate_calls import (
    arguments_of,
    entry_of,
    filtered_inputs,
    implementation_of,
    rewritten,
    run_rounds,
)
from broadhead.operators.aggregate.aggregate_table import AggregateTable
from broadhead.operators.aggregate.grouped_rows import GroupedRows
from broadhead.operators.aggregate.partial_reduction import PartialReduction
from broadhead.operators.rows.batch_rows import divide_batch
from broadhead.plan.expressions import BoundReference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from broadhead.aggregates.registry import Rounds
    from broadhead.kernels.interface import Array, Grouping
    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import AggregateCall, HashAggregate


def hash_aggregate(node: HashAggregate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the aggregated rows, in no order; one row for an empty input without keys."""
    return _results(node, _tables(node, child, run), run)


def _tables(node: HashAggregate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    entries = [entry_of(call) for call in node.aggregates]
    if any(entry.whole_groups or entry.whole_tasks for entry in entries):
        return _whole(node, child, run)
    merges = bool(node.aggregates) and not any(call.updates for call in node.aggregates)
    return _merged(node, child, run) if merges else _grouped(node, child, run)


def _whole(node: HashAggregate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Keys and buffers of all groups, each made of all rows or buffers of its group at once."""
    phase = InputPhase(node, run)
    rows = GroupedRows(node, run)
    for batch in child:
        rows.add(phase.inputs(batch))
    if rows.is_empty and not node.grouping:
        rows.add(phase.inputs(_no_rows(node, run)))
    for inputs in rows.drain():
        yield phase.aggregate_inputs(inputs)


def _merged(node: HashAggregate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Keys and buffers of all groups; the input already has such rows, and is grouped once."""
    phase = InputPhase(node, run)
    table = AggregateTable(node, run)
    for batch in child:
        table.add(phase.inputs(batch), grouped=False)
    yield from _drained(node, table, phase, run)


def _grouped(node: HashAggregate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Keys and buffers of all groups; a group may have several rows if a later phase merges."""
    phase = InputPhase(node, run)
    table = AggregateTable(node, run)
    reduction = PartialReduction(node)
    for batch in child:
        if reduction.pays or table.has_spilled:
            groups = phase.aggregate(batch)
            reduction.grouped(batch.length, groups.length)
            table.add(groups, grouped=True)
        else:
            reduction.passed(batch.length)
            # In the order of the input, which matters for first and last: spilled groups come last.
            yield from table.take()
            yield phase.each_row(batch)
    yield from _drained(node, table, phase, run)


def _drained(
    node: HashAggregate, table: AggregateTable, phase: InputPhase, run: Run
) -> Iterator[Batch]:
    if not node.grouping and table.is_empty:
        table.add(phase.aggregate(_no_rows(node, run)), grouped=True)
    yield from table.drain()


class InputPhase:
    """Converts input batches to rows of keys and buffers, one row for each group."""

    def __init__(self, node: HashAggregate, run: Run) -> None:
        self._node = node
        self._run = run
        expressions: list[Expression] = list(node.grouping)
        self._calls = [rewritten(call) for call in node.aggregates]
        for call in self._calls:
            expressions += _inputs_of(call)
        self._program = run.compile(expressions)

    def aggregate(self, batch: Batch) -> Batch:
        """Keys and buffers of the groups in one batch."""
        return self.aggregate_inputs(self.inputs(batch))

    def each_row(self, batch: Batch) -> Batch:
        """Keys and buffers of each row of a batch, each row as a group."""
        return self._aggregate(self.inputs(batch), self._run.kernels.group.each_row)

    def inputs(self, batch: Batch) -> Batch:
        """The keys, then for each aggregate its arguments and filter, or its buffers."""
        return Batch(tuple(self._program.evaluate(batch)), batch.length)

    def aggregate_inputs(self, inputs: Batch) -> Batch:
        """Keys and buffers of the groups of such rows."""
        return self._aggregate(inputs, self._run.kernels.group.group)

    def _aggregate(self, inputs: Batch, group: Callable[[list[Array], int], Grouping]) -> Batch:
        values = iter(inputs.columns)
        keys = [next(values) for _ in self._node.grouping]
        grouping = group([key.data for key in keys], inputs.length)
        rounds = [self._rounds(call, grouping, values) for call in self._calls]
        return _groups(grouping, keys, run_rounds(rounds, grouping))

    def _rounds(self, call: AggregateCall, grouping: Grouping, values: Iterator[Column]) -> Rounds:
        kernels = self._run.kernels
        implementation = implementation_of(call, self._run)
        if not call.updates:
            buffers = [next(values) for _ in call.buffers]
            return implementation.merge(kernels, grouping, call, buffers)
        arguments = [next(values) for _ in arguments_of(call)]
        condition = next(values) if call.filter is not None else None
        inputs = filtered_inputs(kernels, call, arguments, condition)
        return implementation.update(kernels, grouping, call, inputs)


def _inputs_of(call: AggregateCall) -> list[Expression]:
    """The arguments and the filter of a call that updates, or the buffers that it merges."""
    if call.updates:
        condition = [] if call.filter is None else [call.filter]
        return [*arguments_of(call), *condition]
    return [
        BoundReference(buffer.ordinal, buffer.type, buffer.nullable)
        for buffer in call.buffers
        if buffer.ordinal is not None
    ]


def _groups(grouping: Grouping, keys: Sequence[Column], buffers: list[Column]) -> Batch:
    grouped = zip(grouping.keys, keys, strict=True)
    columns = [Column(data, key.type) for data, key in grouped]
    return Batch(tuple(columns + buffers), grouping.size)


def _no_rows(node: HashAggregate, run: Run) -> Batch:
    columns = run.kernels.columns
    return Batch(
        tuple(
            Column(columns.full(columns.scalar(None, attribute.type), 0), attribute.type)
            for attribute in node.child.output
        ),
        0,
    )


def _results(node: HashAggregate, tables: Iterable[Batch], run: Run) -> Iterator[Batch]:
    """The node's result expressions over finished groups."""
    program = run.compile(node.results)
    for table in tables:
        batch = Batch(tuple(_aggregated_row(node, table, run)), table.length)
        yield from divide_batch(Batch(tuple(program.evaluate(batch)), table.length), run)


def _aggregated_row(node: HashAggregate, table: Batch, run: Run) -> Iterator[Column]:
    yield from table.columns[: len(node.grouping)]
    position = len(node.grouping)
    for call in node.aggregates:
        buffers = table.columns[position : position + len(call.buffers)]
        position += len(call.buffers)
        if call.finishes:
            yield implementation_of(call, run).finish(run.kernels, call, buffers)
        else:
            yield from buffers
