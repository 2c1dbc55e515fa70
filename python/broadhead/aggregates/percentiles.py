"""percentile, percentile_cont, percentile_disc and median."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.collect import ARRAY, OFFSETS
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import Members, WholeGroup, members, zeros
from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.registry import NUMERIC
from broadhead.plan.expressions import Literal
from broadhead.registry import Signature
from broadhead.types import DOUBLE, LONG, ArrayType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall
    from broadhead.registry import Allowed
    from broadhead.types import DataType

NUMBER = frozenset({"double"})
WEIGHT = frozenset({"byte", "short", "integer", "long"})


class _Percentile(WholeGroup):
    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The values at each percentage of the sorted values."""
        yield from ()
        found = members(k, grouping, inputs[0].data)
        ordered = found.sorted(k, descending=dict(call.fields)["reverse"])
        share = call.children[1]
        assert isinstance(share, Literal)
        shares = share.value if isinstance(call.type, ArrayType) else (share.value,)
        ranked = _Ranked(k, ordered, inputs[0].type)
        results = [cls.at(k, call, ranked, share) for share in shares]
        if inputs[0].type.is_floating:
            _check_zeros(k, Column(ordered.values, inputs[0].type), results)
        if not isinstance(call.type, ArrayType):
            return [Column(results[0], DOUBLE)]
        return [Column(_arrays(k, call.type, results, ordered), call.type)]

    @classmethod
    def at(cls, k: Kernels, call: AggregateCall, ranked: _Ranked, share: float) -> Array:
        """The value of each group at one percentage; null for no values."""
        raise NotImplementedError


class _Ranked:
    """Sorted values, with their ranks from 0 in each group."""

    def __init__(self, k: Kernels, ordered: Members, data_type: DataType) -> None:
        self._k = k
        self._values = ordered.values
        self._starts = ordered.starts(k)
        self._type = data_type
        counts = ordered.counts(k)
        none = k.compare.compare("equal", counts, k.columns.scalar(0, LONG))
        self.counts = k.logic.null_where(counts, none)

    def value(self, rank: Array) -> Array:
        """The value at a rank of each group, null for a null."""
        k = self._k
        return k.columns.take([self._values], k.arithmetic.add(self._starts, rank))[0]

    def number(self, value: Array) -> Array:
        """The value as double, as Java converts it."""
        if isinstance(self._type, DecimalType):
            return self._k.decimal.to_double(value, self._type.scale)
        return self._k.cast.widen(value, DOUBLE)

    def scaled(self, count: Array, share: float) -> Array:
        """A share of a count, double."""
        k = self._k
        return k.arithmetic.multiply(k.cast.widen(count, DOUBLE), k.columns.scalar(share, DOUBLE))

    def floor(self, position: Array) -> tuple[Array, Array]:
        """The rank at or before a position, and a mask of the positions after it."""
        k = self._k
        lower = k.cast.float_to_integer(position, LONG)
        lower = k.logic.null_where(lower, k.logic.is_null(position))
        return lower, k.compare.compare("less", k.cast.widen(lower, DOUBLE), position)


def _check_zeros(k: Kernels, values: Column, results: Sequence[Array]) -> None:
    """Raises `EngineLimit` where a result may be either zero: Spark asks a hash map which."""
    zero = k.columns.scalar(0.0, DOUBLE)
    if any(k.logic.any(k.compare.compare("equal", result, zero)) for result in results) and all(
        map(k.logic.any, zeros(k, values))
    ):
        raise EngineLimit("a percentile of 0.0 and -0.0")


def _arrays(k: Kernels, data_type: ArrayType, results: Sequence[Array], ordered: Members) -> Array:
    """Arrays of the results of each percentage; null for no values."""
    size, width = k.columns.length(results[0]), len(results)
    row, column = k.nested.unfold(
        k.columns.full(k.columns.scalar(width, LONG), size), 0, size * width
    )
    (joined,) = k.columns.concat([[result] for result in results])
    size_ = k.columns.scalar(size, LONG)
    (elements,) = k.columns.take(
        [joined], k.arithmetic.add(row, k.arithmetic.multiply(column, size_))
    )
    offsets = k.arithmetic.multiply(k.columns.sequence(size + 1), k.columns.scalar(width, LONG))
    arrays = k.nested.array(offsets, elements, data_type)
    none = k.compare.compare("equal", ordered.counts(k), k.columns.scalar(0, LONG))
    return k.logic.null_where(arrays, none)


FIELDS: Mapping[str, Allowed] = {**OFFSETS, "reverse": (True, False)}
SIGNATURES = [
    Signature((NUMERIC, NUMBER, WEIGHT), NUMBER, literal=(1,), values={2: (1,)}),
    Signature((NUMERIC, ARRAY, WEIGHT), ARRAY, literal=(1,), values={2: (1,)}),
]


@aggregate(
    "percentile", spark="Percentile", signatures=SIGNATURES, fields=FIELDS, whole_groups=True
)
class Percentile(_Percentile):
    """The value at a percentage of the sorted values, interpolated between two; median is at 0.5.

    SELECT percentile(price, 0.25), median(price)
    """

    @classmethod
    def at(cls, k: Kernels, call: AggregateCall, ranked: _Ranked, share: float) -> Array:
        """The value at the position, or between its neighbours."""
        subtract, multiply = k.arithmetic.subtract, k.arithmetic.multiply
        one = k.columns.scalar(1, LONG)
        position = ranked.scaled(subtract(ranked.counts, one), share)
        lower, between = ranked.floor(position)
        higher = k.arithmetic.add(lower, k.cast.widen(between, LONG))
        low, high = ranked.value(lower), ranked.value(higher)
        left, right = ranked.number(low), ranked.number(high)
        before = subtract(k.cast.widen(higher, DOUBLE), position)
        after = subtract(position, k.cast.widen(lower, DOUBLE))
        mixed = k.arithmetic.add(multiply(before, left), multiply(after, right))
        return k.logic.if_else(k.compare.compare("equal", low, high), left, mixed)


@aggregate(
    "percentile_disc",
    spark="PercentileDisc",
    signatures=[
        Signature((NUMERIC, NUMBER), NUMBER, literal=(1,)),
        Signature((NUMERIC, ARRAY), ARRAY, literal=(1,)),
    ],
    fields={**FIELDS, "legacyCalculation": (True, False)},
    whole_groups=True,
)
class PercentileDisc(_Percentile):
    """The first of the sorted values at or after a percentage of them.

    SELECT percentile_disc(0.25) WITHIN GROUP (ORDER BY price)
    """

    @classmethod
    def at(cls, k: Kernels, call: AggregateCall, ranked: _Ranked, share: float) -> Array:
        """The value at the position; before Spark 4.0, a position earlier or later."""
        zero, one = k.columns.scalar(0, LONG), k.columns.scalar(1, LONG)
        subtract = k.arithmetic.subtract
        if dict(call.fields)["legacy_calculation"]:
            rank, _ = ranked.floor(ranked.scaled(subtract(ranked.counts, one), share))
        else:
            lower, between = ranked.floor(ranked.scaled(ranked.counts, share))
            rank = subtract(k.arithmetic.add(lower, k.cast.widen(between, LONG)), one)
            before = k.compare.compare("less", rank, zero)
            rank = k.logic.null_where(k.logic.if_else(before, zero, rank), k.logic.is_null(rank))
        return ranked.number(ranked.value(rank))
