"""Calls of aggregates: the input columns of their `update`, and their rounds run together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.aggregates.registry import aggregates
from broadhead.columns import Column
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.aggregates.registry import Rounds
    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall


def filtered_inputs(
    k: Kernels, call: AggregateCall, arguments: Sequence[Column], condition: Column | None
) -> list[Column]:
    """The arguments without the rows that the call's filter drops; see `AggregateFunction`."""
    if condition is None:
        return list(arguments)
    kept = k.logic.is_true(condition.data)
    if aggregates()[call.name].takes_mask:
        return [*arguments, Column(kept, BOOLEAN)]
    dropped = k.logic.not_(kept)
    return [Column(k.logic.null_where(c.data, dropped), c.type) for c in arguments]


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
