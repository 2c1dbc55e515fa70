"""The registry of aggregate functions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Unpack

from broadhead.registry import Entry, EntryProperties, Registry

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.kernels.interface import Grouping, Kernels, Request
    from broadhead.plan.nodes import AggregateCall
    from broadhead.registry import Signature

Extreme = Literal["least", "greatest"]

Rounds = Generator["list[Request]", "list[Any]", "list[Column]"]
"""Yields requests for `Grouping.aggregate`, is sent their results, and returns the buffers.

One row a group, of the types in `AggregateCall.buffers`. The operator runs the rounds of all
aggregates together.
"""


class AggregateFunction(Protocol):
    """Spark's semantics of an aggregate, over Spark's own buffers."""

    def update(
        self, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """Buffers of rows.

        `inputs` are the arguments, with nulls where the filter is not true; with `takes_mask` the
        unchanged arguments, then a mask of the rows that the filter keeps, if there is one.
        """

    def merge(
        self, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Buffers of buffers."""

    def finish(self, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The result of final buffers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(Entry):
    """A registered aggregate function.

    `filter`: whether `FILTER (WHERE ...)` is supported. `takes_mask`: whether a dropped row differs
    from a null, so that `update` needs the filter. `frames`: whether any window frame is supported;
    otherwise only whole partitions are, whose rows are grouped like those of keys. `whole_groups`:
    whether `update` must see all rows of a group, so that the planner makes one phase of it; its
    only buffer is then the result, and `merge` is not called. `whole_tasks`: whether `update` must
    see all rows that a task has of a group, and `merge` all buffers. `update` then gets no
    arguments that must be literals.

    `takes_one_row`: whether the first or the last of some rows decides about the result.
    `depends_on_order`: whether the result depends on the order of the rows in another way.
    `rewritten`: the call as the engine computes the buffers of rows.
    `extreme`: which extreme of its argument the result is, if it is one.
    """

    implementation: AggregateFunction
    filter: bool = True
    takes_mask: bool = False
    frames: bool = True
    whole_groups: bool = False
    whole_tasks: bool = False
    takes_one_row: bool = False
    depends_on_order: bool = False
    extreme: Extreme | None = None
    rewritten: Callable[[AggregateCall], AggregateCall] | None = None


class AggregateProperties(EntryProperties, total=False):
    """The fields of `Aggregate` that have defaults."""

    filter: bool
    takes_mask: bool
    frames: bool
    whole_groups: bool
    whole_tasks: bool
    takes_one_row: bool
    depends_on_order: bool
    extreme: Extreme | None
    rewritten: Callable[[AggregateCall], AggregateCall] | None


_registry = Registry[Aggregate]("broadhead.aggregates")


def aggregate(
    name: str,
    *,
    spark: str,
    signatures: Sequence[Signature],
    **properties: Unpack[AggregateProperties],
) -> Callable[[type[AggregateFunction]], type[AggregateFunction]]:
    """Register the implementation of the Spark aggregate class `spark`, called `name` in SQL."""

    def register(implementation: type[AggregateFunction]) -> type[AggregateFunction]:
        _registry.add(
            Aggregate(
                name=name,
                spark=spark,
                signatures=tuple(signatures),
                implementation=implementation(),
                **properties,
            )
        )
        return implementation

    return register


def aggregates() -> Mapping[str, Aggregate]:
    """All aggregate functions by Spark class."""
    return _registry.entries()
