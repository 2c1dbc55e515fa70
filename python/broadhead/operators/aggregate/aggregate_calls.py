"""Calls of aggregates: the input columns of their `update`, and their rounds run together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.aggregates.null_counts import NULL_COUNT
from broadhead.aggregates.registry import aggregates
from broadhead.aggregates.sum import NULL_COUNTS
from broadhead.columns import Column
from broadhead.operators.aggregate.spark_aggregate import ENTRY, SPARK_AGGREGATE, SparkAggregate
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.aggregates.registry import Aggregate, AggregateFunction, Rounds
    from broadhead.columns import Batch
    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import AggregateCall, HashAggregate


_OTHERS = {SPARK_AGGREGATE: ENTRY, NULL_COUNT: NULL_COUNTS}


def entry_of(call: AggregateCall) -> Aggregate:
    """What is registered about the function of a call."""
    return _OTHERS.get(call.name) or aggregates()[call.name]


def implementation_of(call: AggregateCall, run: Run) -> AggregateFunction:
    """The code of the function of a call."""
    if call.name == SPARK_AGGREGATE:
        return SparkAggregate(run.spark_expressions)
    return entry_of(call).implementation


def rewritten(call: AggregateCall) -> AggregateCall:
    """The call as the engine computes its buffers."""
    rewrite = entry_of(call).rewritten
    return rewrite(call) if rewrite is not None and call.updates else call


def arguments_of(call: AggregateCall) -> Sequence[Expression]:
    """The arguments that `update` gets; literals of a call that keeps its rows take no memory."""
    entry = entry_of(call)
    if not entry.whole_tasks or not entry.signatures:
        return call.children
    literal = entry.signatures[0].literal
    return [child for index, child in enumerate(call.children) if index not in literal]


def filtered_inputs(
    k: Kernels, call: AggregateCall, arguments: Sequence[Column], condition: Column | None
) -> list[Column]:
    """The arguments without the rows that the call's filter drops; see `AggregateFunction`."""
    if condition is None:
        return list(arguments)
    kept = k.logic.is_true(condition.data)
    if entry_of(call).takes_mask:
        return [*arguments, Column(kept, BOOLEAN)]
    dropped = k.logic.not_(kept)
    return [Column(k.logic.null_where(c.data, dropped), c.type) for c in arguments]


def merge_rounds(node: HashAggregate, rows: Batch, grouping: Grouping, run: Run) -> list[Rounds]:
    """The rounds that merge rows of keys and buffers."""
    rounds = []
    position = len(node.grouping)
    for call in node.aggregates:
        buffers = rows.columns[position : position + len(call.buffers)]
        position += len(call.buffers)
        rounds.append(implementation_of(call, run).merge(run.kernels, grouping, call, buffers))
    return rounds


def run_rounds(rounds: Sequence[Rounds], grouping: Grouping) -> list[Column]:
    """The buffers of all aggregates; the requests of each round are aggregated in one call.

    So several aggregates share the work of grouping.
    """
    buffers: list[list[Column]] = [[] for _ in rounds]
    waiting = dict(enumerate(rounds))
    answers: dict[int, list[Any]] = {}
    while waiting:
        requests = {}
        for number, aggregate in list(waiting.items()):
            try:
                answer = answers.get(number)
                requests[number] = next(aggregate) if answer is None else aggregate.send(answer)
            except StopIteration as finished:
                buffers[number] = finished.value
                del waiting[number]
        results = iter(grouping.aggregate([r for asked in requests.values() for r in asked]))
        answers = {n: [next(results) for _ in asked] for n, asked in requests.items()}
    return [column for columns in buffers for column in columns]
