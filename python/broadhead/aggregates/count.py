"""count: rows whose arguments are all not null."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import ANY, NESTED
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

COUNTABLE = ANY | NESTED


@aggregate(
    "count",
    spark="Count",
    signatures=[Signature((COUNTABLE,), frozenset({"long"}), variadic=True)],
)
class Count:
    """Buffer: the count, long, never null.

    SELECT count(*), count(a), count(DISTINCT a, b)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """Rows without a null among the arguments."""
        counted = inputs[0].data
        if len(inputs) > 1:
            valid = k.logic.is_valid(counted)
            for column in inputs[1:]:
                valid = k.logic.and_(valid, k.logic.is_valid(column.data))
            counted = k.logic.null_where(valid, k.logic.not_(valid))
        (count,) = yield [Request("count", counted)]
        return [Column(count, LONG)]

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Sum of the counts."""
        (total,) = yield [Request("sum", buffers[0].data)]
        return [Column(k.logic.coalesce([total, k.columns.scalar(0, LONG)]), LONG)]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The count."""
        return buffers[0]
