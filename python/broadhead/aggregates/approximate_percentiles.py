"""percentile_approx: percentiles of Spark's QuantileSummaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.aggregates.collect import ARRAY, OFFSETS
from broadhead.aggregates.percentiles import NUMBER, WEIGHT, Places, arrays_of
from broadhead.aggregates.quantile_summary import QuantileSummary
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import Members, WholeGroup, members
from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.registry import Signature
from broadhead.plan.expressions import Literal
from broadhead.types import BOOLEAN, DOUBLE, INTEGER, LONG, ArrayType, DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

TYPES = ("byte", "short", "integer", "long", "float", "double", "date", "timestamp")
SIGNATURES = [
    signature
    for name in (*TYPES, "timestamp_ntz")
    for signature in (
        Signature((frozenset({name}), NUMBER, WEIGHT), frozenset({name}), literal=(1, 2)),
        Signature((frozenset({name}), ARRAY, WEIGHT), ARRAY, literal=(1, 2)),
    )
]


@aggregate(
    "percentile_approx",
    spark="ApproximatePercentile",
    signatures=SIGNATURES,
    fields=OFFSETS,
    note="of a group with at least half as many rows as `accuracy`, it may be another value "
    "within that accuracy, as it may in Spark with other tasks",
    whole_groups=True,
)
class ApproximatePercentile(WholeGroup):
    """The value at a percentage of the sorted values, or one whose rank is near it.

    SELECT percentile_approx(price, 0.25), approx_percentile(price, array(0.1, 0.9), 100)
    """

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The exact values of small groups, and those of the summaries of large ones."""
        yield from ()
        (share, accuracy) = call.children[1:]
        assert isinstance(share, Literal)
        assert isinstance(accuracy, Literal)
        shares = share.value if isinstance(call.type, ArrayType) else (share.value,)
        error = 1.0 / accuracy.value
        found = members(k, grouping, _doubles(k, inputs[0]))
        if inputs[0].type.is_floating:
            _check_zeros(k, found.values)
        ordered = found.sorted(k, descending=False)
        places = Places(k, ordered, DOUBLE)
        exact = [_exact(k, places, share, error) for share in shares]
        results = _with_summaries(k, found, exact, shares, error)
        typed = [_of_doubles(k, result, inputs[0].type) for result in results]
        if not isinstance(call.type, ArrayType):
            return [Column(typed[0], call.type)]
        return [Column(arrays_of(k, call.type, typed, ordered), call.type)]


def _doubles(k: Kernels, values: Column) -> Array:
    if values.type.name == "date":
        return k.cast.widen(k.cast.reinterpret(values.data, INTEGER), DOUBLE)
    if values.type.name.startswith("timestamp"):
        return k.cast.widen(k.cast.reinterpret(values.data, LONG), DOUBLE)
    return k.cast.widen(values.data, DOUBLE)


def _of_doubles(k: Kernels, values: Array, to: DataType) -> Array:
    """The values in the type of the input, as Java converts them."""
    if to.name == "double":
        return values
    if to.name == "float":
        return k.cast.widen(values, to)
    number = {"date": INTEGER, "timestamp": LONG, "timestamp_ntz": LONG}.get(to.name, to)
    integers = k.cast.float_to_integer(values, number)
    integers = k.logic.null_where(integers, k.logic.is_null(values))
    return integers if number is to else k.cast.reinterpret(integers, to)


def _exact(k: Kernels, places: Places, share: float, error: float) -> Array:
    """The value whose rank is the share of the count, rounded up."""
    zero, one = k.columns.scalar(0, LONG), k.columns.scalar(1, LONG)
    if share <= error:
        place = k.arithmetic.multiply(places.counts, zero)
    elif share >= 1 - error:
        place = k.arithmetic.subtract(places.counts, one)
    else:
        lower, between = places.floor(places.scaled(places.counts, share))
        whole = k.arithmetic.subtract(k.cast.widen(between, LONG), one)
        place = k.arithmetic.add(lower, whole)
    return places.value(place)


def _with_summaries(
    k: Kernels, found: Members, exact: Sequence[Array], shares: Sequence[float], error: float
) -> list[Array]:
    """The results, with those of summaries where a group is so large that they are not exact."""
    limit = k.columns.scalar(0.5 / error, DOUBLE)
    large = k.compare.compare("less_equal", limit, k.cast.widen(found.counts(k), DOUBLE))
    if not k.logic.any(large):
        return list(exact)
    values = _numpy(k, found.values, DOUBLE)
    offsets = _numpy(k, found.offsets, LONG)
    summarized = []
    for group in np.flatnonzero(_numpy(k, large, BOOLEAN)):
        members = values[offsets[group] : offsets[group + 1]]
        if np.isnan(members).any():
            raise EngineLimit("percentile_approx of NaN in a large group")
        summarized.append(QuantileSummary(members, error).at(shares))
    columns = [k.columns.from_arrow(pa.array(of), DOUBLE) for of in zip(*summarized, strict=True)]
    return [
        k.logic.if_else(large, k.columns.scatter(some, large), all_)
        for some, all_ in zip(columns, exact, strict=True)
    ]


def _numpy(k: Kernels, data: Array, data_type: DataType) -> Any:
    return k.columns.to_arrow(data, data_type).to_numpy(zero_copy_only=False)


def _check_zeros(k: Kernels, values: Array) -> None:
    """Spark sorts -0.0 before 0.0."""
    zero, one = k.columns.scalar(0.0, DOUBLE), k.columns.scalar(1.0, DOUBLE)
    negative = k.compare.compare("less", k.arithmetic.divide(one, values), zero)
    is_zero = k.compare.compare("equal", values, zero)
    if k.logic.any(k.logic.and_(is_zero, negative)):
        raise EngineLimit("percentile_approx of -0.0")
