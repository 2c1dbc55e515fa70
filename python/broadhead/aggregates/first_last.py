"""first and last; any_value is first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import ANY, NESTED
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels, Kind
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [Signature((frozenset({name}),), frozenset({name})) for name in sorted(ANY | NESTED)]
FIELDS = {"ignoreNulls": (True, False)}


class _Edge:
    """Buffers: the value and `valueSet`, whether there has been one."""

    kind: ClassVar[Kind]

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The first or last row of each group, in the order of the input."""
        wanted = (
            k.logic.is_valid(inputs[0].data)
            if dict(call.fields)["ignore_nulls"]
            else k.columns.full(k.columns.scalar(True, BOOLEAN), k.columns.length(inputs[0].data))
        )
        for mask in inputs[1:]:
            wanted = k.logic.and_(wanted, mask.data)
        return (yield from cls._pick(k, call, inputs[0], wanted))

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """The first or last buffer among those with a value."""
        return (yield from cls._pick(k, call, buffers[0], k.logic.is_true(buffers[1].data)))

    @classmethod
    def _pick(cls, k: Kernels, call: AggregateCall, values: Column, wanted: object) -> Rounds:
        rows = k.columns.sequence(k.columns.length(values.data))
        (row,) = yield [Request(cls.kind, k.logic.null_where(rows, k.logic.not_(wanted)))]
        (picked,) = k.columns.take([values.data], row)
        return [Column(picked, call.type), Column(k.logic.is_valid(row), BOOLEAN)]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The value; null if there was none."""
        return buffers[0]


@aggregate(
    "first",
    spark="First",
    signatures=SIGNATURES,
    fields=FIELDS,
    takes_mask=True,
    takes_one_row=True,
    level="any order",
)
class First(_Edge):
    """The value of the first row.

    SELECT first(price), first(price) IGNORE NULLS
    """

    kind = "min"


@aggregate(
    "last",
    spark="Last",
    signatures=SIGNATURES,
    fields=FIELDS,
    takes_mask=True,
    takes_one_row=True,
    level="any order",
)
class Last(_Edge):
    """The value of the last row.

    SELECT last(price), last(price) IGNORE NULLS
    """

    kind = "max"
