"""collect_list, collect_set and listagg: the values of a group together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import Members, WholeGroup, members
from broadhead.columns import Column
from broadhead.functions.registry import ANY, ATOMIC, NESTED, Signature
from broadhead.types import ArrayType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

ARRAY = frozenset({"array"})
OFFSETS = {"mutableAggBufferOffset": "any", "inputAggBufferOffset": "any"}
"""Fields of functions whose buffers are objects: places in Spark's rows of buffers."""


def _arrays(k: Kernels, call: AggregateCall, found: Members) -> list[Column]:
    assert isinstance(call.type, ArrayType)
    return [Column(k.nested.array(found.offsets, found.values, call.type), call.type)]


@aggregate(
    "collect_list",
    spark="CollectList",
    signatures=[Signature((ANY - {"void"} | NESTED,), ARRAY | {"collated_array"})],
    fields=OFFSETS,
    whole_groups=True,
)
class CollectList(WholeGroup):
    """The values that are not null, in the order of the rows.

    SELECT collect_list(name)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The values of each group."""
        yield from ()
        return _arrays(k, call, members(k, grouping, inputs[0].data))


@aggregate(
    "collect_set",
    spark="CollectSet",
    signatures=[Signature((ATOMIC,), ARRAY)],
    fields=OFFSETS,
    note="the order of the elements differs",
    whole_groups=True,
)
class CollectSet(WholeGroup):
    """The different values that are not null.

    SELECT collect_set(name)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The first of equal values of each group; NaN equals nothing."""
        yield from ()
        found = members(k, grouping, inputs[0].data)
        first = _first_of_equals(k, found)
        if inputs[0].type.is_floating:
            first = k.logic.or_(first, k.logic.is_nan(found.values))
        return _arrays(k, call, found.filtered(k, first))


def _first_of_equals(k: Kernels, found: Members) -> Array:
    rows = k.columns.sequence(k.columns.length(found.values))
    pairs = k.group.group([found.numbers(k), found.values], k.columns.length(found.values))
    (first,) = pairs.aggregate([("min", rows, 0)])
    return k.compare.compare("equal", rows, pairs.spread(first))
