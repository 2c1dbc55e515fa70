"""collect_list, collect_set and listagg: the values of a group together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import Members, WholeGroup, members
from broadhead.columns import Column
from broadhead.functions.registry import ANY, ATOMIC, NESTED, STRING
from broadhead.kernels.interface.group import Request
from broadhead.plan.expressions import Literal
from broadhead.registry import Signature
from broadhead.types import LONG, ArrayType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall
    from broadhead.registry import Allowed

ARRAY = frozenset({"array"})
OFFSETS: Mapping[str, Allowed] = {"mutableAggBufferOffset": "any", "inputAggBufferOffset": "any"}
"""Fields of functions whose buffers are objects: offsets in Spark's rows of buffers."""


def _arrays(k: Kernels, call: AggregateCall, found: Members) -> list[Column]:
    assert isinstance(call.type, ArrayType)
    return [Column(k.nested.array(found.offsets, found.values, call.type), call.type)]


@aggregate(
    "collect_list",
    spark="CollectList",
    signatures=[Signature((ANY - {"void"} | NESTED,), ARRAY | {"collated_array"})],
    fields=OFFSETS,
    note="in the order of the rows",
    level="any order",
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
    level="any order",
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
    (first,) = pairs.aggregate([Request("min", rows)])
    return k.compare.compare("equal", rows, pairs.spread(first))


@aggregate(
    "listagg",
    spark="ListAgg",
    signatures=[
        Signature((STRING, STRING | {"void"}, ATOMIC), STRING, variadic=True, literal=(1,))
    ],
    fields={**OFFSETS, "orders": "any"},
    note="without WITHIN GROUP in the order of the rows",
    level="any order",
    whole_groups=True,
)
class ListAgg(WholeGroup):
    """The strings that are not null, with a separator between them; null if there are none.

    SELECT listagg(name, ', ') WITHIN GROUP (ORDER BY price DESC)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The strings in the order of the keys, or of the rows."""
        yield from ()
        texts, _, *keys = inputs
        separator = call.children[1]
        assert isinstance(separator, Literal)
        valid = k.logic.is_valid(texts.data)
        rows, offsets = grouping.members()
        found = Members(rows, offsets).filtered(k, k.columns.take([valid], rows)[0])
        if keys:
            found = _ordered(k, found, keys, dict(call.fields)["orders"])
        (values,) = k.columns.take([texts.data], found.values)
        joined = k.nested.joined(found.offsets, values, separator.value or "")
        none = k.compare.compare("equal", found.counts(k), k.columns.scalar(0, LONG))
        return [Column(k.logic.null_where(joined, none), call.type)]


def _ordered(
    k: Kernels, found: Members, keys: Sequence[Column], orders: Sequence[Sequence[bool]]
) -> Members:
    """The rows of each group sorted by the keys; equal ones stay as they are."""
    values = k.columns.take([key.data for key in keys], found.values)
    directions = [(ascending, nulls_first) for ascending, nulls_first in orders]
    order = k.sort.order([found.numbers(k), *values], [(True, True), *directions])
    return Members(k.columns.take([found.values], order)[0], found.offsets)
