"""The rounds of several aggregates, run together so that they share the work of grouping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.aggregates.registry import Rounds
    from broadhead.columns import Column
    from broadhead.kernels.interface import Grouping


def run_rounds(rounds: Sequence[Rounds], grouping: Grouping) -> list[Column]:
    """The buffers of all aggregates; the requests of each round are aggregated in one call."""
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
