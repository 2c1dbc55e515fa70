"""mode: the most frequent value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.collect import OFFSETS
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import WholeGroup, members, zeros
from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.registry import ATOMIC
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [Signature((frozenset({name}),), frozenset({name})) for name in sorted(ATOMIC)]


@aggregate(
    "mode",
    spark="Mode",
    signatures=SIGNATURES,
    fields={**OFFSETS, "reverseOpt": (None, True, False)},
    note="of several most frequent values, it may be another one, unless an order is given",
    level="any order",
    whole_groups=True,
)
class Mode(WholeGroup):
    """The most frequent value.

    SELECT mode(name)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The value with the greatest count; of several the greatest, or the least if reversed."""
        yield from ()
        found = members(k, grouping, inputs[0].data)
        length = k.columns.length(found.values)
        if not length:
            nothing = k.columns.scalar(None, call.type)
            return [Column(k.columns.full(nothing, grouping.size), call.type)]
        _check_floats(k, Column(found.values, call.type))
        pairs = k.group.group([found.numbers(k), found.values], length)
        (counts,) = pairs.aggregate([Request("count", found.values)])
        numbers, values = pairs.keys
        greatest = not dict(call.fields)["reverse_opt"]
        order = k.sort.order(
            [numbers, counts, values], [(True, True), (True, True), (greatest, True)]
        )
        numbers, values = k.columns.take([numbers, values], order)
        one = k.columns.scalar(1, LONG)
        ends = k.window.runs(k.window.changes([numbers], k.columns.length(numbers))).ends
        (chosen,) = k.columns.take([values], k.arithmetic.subtract(ends, one))
        some = k.compare.compare("less_equal", one, found.counts(k))
        return [Column(k.columns.scatter(chosen, some), call.type)]


def _check_floats(k: Kernels, values: Column) -> None:
    """Spark counts each NaN alone, and zeros by their sign."""
    if not values.type.is_floating:
        return
    _, negative = zeros(k, values)
    if k.logic.any(k.logic.is_nan(values.data)) or k.logic.any(negative):
        raise EngineLimit("mode of NaN or -0.0")
