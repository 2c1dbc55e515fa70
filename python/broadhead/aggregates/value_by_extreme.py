"""max_by and min_by."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from broadhead.aggregates.extremes import nested_ranks
from broadhead.aggregates.reduction import Reduction
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import ANY, ATOMIC
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import ArrayType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels, Kind
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [
    Signature((frozenset({name}), ATOMIC | {"array", "struct"}), frozenset({name}))
    for name in sorted(ANY | {"array", "map", "struct"})
]


class _ValueByExtreme(Reduction):
    """Buffers: the value, and the extreme of the ordering so far, null for no values."""

    kind: ClassVar[Kind]

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The value of the last row with the extreme; Spark replaces the value by an equal one."""
        value, ordering = inputs
        kind, compared = cls.kind, ordering.data
        if isinstance(ordering.type, ArrayType | StructType):
            # Of equal values the last row has the greatest rank, in either order.
            descending = kind == "last_of_min"
            _, compared = nested_ranks(k, compared, ordering.type, descending=descending)
            kind = "last_of_max"
        (row,) = yield [Request(kind, compared)]
        picked = k.columns.take([value.data, ordering.data], row)
        return [Column(picked[0], value.type), Column(picked[1], ordering.type)]


@aggregate("max_by", spark="MaxBy", signatures=SIGNATURES, takes_one_row=True, level="any order")
class MaxBy(_ValueByExtreme):
    """The value of a row with the greatest ordering.

    SELECT max_by(name, price)
    """

    kind = "last_of_max"


@aggregate("min_by", spark="MinBy", signatures=SIGNATURES, takes_one_row=True, level="any order")
class MinBy(_ValueByExtreme):
    """The value of a row with the least ordering.

    SELECT min_by(name, price)
    """

    kind = "last_of_min"
