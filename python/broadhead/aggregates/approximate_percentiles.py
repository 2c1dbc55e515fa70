"""percentile_approx: percentiles of Spark's QuantileSummaries, in Spark's phases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.aggregates.collect import ARRAY, OFFSETS
from broadhead.aggregates.host_rows import binaries_with, bytes_of, on_host
from broadhead.aggregates.percentiles import NUMBER, WEIGHT
from broadhead.aggregates.quantile_summaries import Summaries, joined, taken
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.registry import DATE, INTERVALS, NUMERIC, TIMESTAMPS
from broadhead.registry import Signature
from broadhead.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    LONG,
    ArrayType,
    DataType,
    DecimalType,
    IntervalType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.aggregates.quantile_summaries import Doubles, Longs
    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [
    signature
    for name in sorted(NUMERIC | DATE | TIMESTAMPS | INTERVALS)
    for signature in (
        Signature((frozenset({name}), NUMBER, WEIGHT), frozenset({name}), literal=(1, 2)),
        Signature((frozenset({name}), ARRAY, WEIGHT), ARRAY, literal=(1, 2)),
    )
]


MOST_DIGITS = 15
"""Of decimals that are the shortest texts of their doubles."""


@aggregate(
    "percentile_approx",
    spark="ApproximatePercentile",
    signatures=SIGNATURES,
    fields=OFFSETS,
    note="of groups with at least half as many rows as `accuracy`, the value depends on the order "
    "of rows and of tasks, within the error that Spark promises",
    frames=False,
    whole_tasks=True,
    depends_on_order=True,
    level="any order",
)
class ApproximatePercentile:
    """The value at a percentage of the sorted values, or one whose rank is near it.

    The buffer is Spark's summary, as the bytes that Spark writes.

    SELECT percentile_approx(price, 0.25), approx_percentile(price, array(0.1, 0.9), 100)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The summaries of a task's rows."""
        yield from ()
        rows, offsets = grouping.members()
        (data,) = k.columns.take([_doubles(k, inputs[0])], rows)
        valid = k.logic.is_valid(data)
        (offsets,) = k.columns.take([k.window.count_before(valid)], offsets)
        (data,) = k.columns.filter([data], valid)
        values, bounds = on_host(k, data, DOUBLE), on_host(k, offsets, LONG)
        _check(values)
        return [_given(k, call, Summaries.of_rows(values, bounds, _error(call)))]

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """The summaries of all tasks, merged in the order of their rows."""
        yield from ()
        rows, offsets = grouping.members()
        (data,) = k.columns.take([buffers[0].data], rows)
        found = Summaries.of_bytes(*bytes_of(k, data), _error(call))
        _check(found.values)
        return [_given(k, call, _together(found, on_host(k, offsets, LONG)))]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The result, which a task that finishes has instead of the buffer."""
        return buffers[0]


def _error(call: AggregateCall) -> float:
    return 1.0 / float(call.constants[2])


def _doubles(k: Kernels, values: Column) -> Array:
    if isinstance(values.type, DecimalType):
        return k.decimal.to_double(values.data, values.type.scale)
    if values.type.name == "date":
        return k.cast.widen(k.cast.reinterpret(values.data, INTEGER), DOUBLE)
    if values.type.name.startswith("timestamp"):
        return k.cast.widen(k.cast.reinterpret(values.data, LONG), DOUBLE)
    return k.cast.widen(values.data, DOUBLE)


def _of_doubles(k: Kernels, values: Array, to: DataType) -> Array:
    """The values, none of them null, in the type of the input, as Java converts them."""
    if to.name == "double":
        return values
    if to.name == "float":
        return k.cast.widen(values, to)
    if isinstance(to, DecimalType):
        return k.decimal.from_double(values, to.precision, to.scale)[0]
    if isinstance(to, IntervalType):
        return k.cast.float_to_integer(values, to.physical)
    number = {"date": INTEGER, "timestamp": LONG, "timestamp_ntz": LONG}.get(to.name, to)
    integers = k.cast.float_to_integer(values, number)
    return integers if number is to else k.cast.reinterpret(integers, to)


def _check_digits(results: Doubles, data_type: DataType) -> None:
    """Versions of Java differ in the last of 16 and 17 digits."""
    if isinstance(data_type, DecimalType):
        most = 10.0 ** (MOST_DIGITS - data_type.scale)
        if (np.abs(results) >= most).any():
            raise EngineLimit(f"percentile_approx of decimals of more than {MOST_DIGITS} digits")


def _check(values: Doubles) -> None:
    """Spark's comparisons of NaN are no order, and it sorts -0.0 before 0.0."""
    if np.isnan(values).any() or (np.signbit(values) & (values == 0)).any():
        raise EngineLimit("percentile_approx of NaN or -0.0")


def _together(found: Summaries, offsets: Longs) -> Summaries:
    """The summaries of each group, merged in their order."""
    totals = np.concatenate([[0], np.cumsum(found.counts)])
    large = 2 * found.error * np.diff(totals[offsets]) >= 1
    small, chosen = np.flatnonzero(~large), np.flatnonzero(large)
    rows, bounds = taken(np.arange(len(found.counts)), offsets, small)
    exact = found.taken(rows)
    parts = [Summaries.of_exact(exact.values, exact.offsets[bounds], found.error)]
    rows, bounds = taken(np.arange(len(found.counts)), offsets, chosen)
    parts.append(_folded(found, rows, bounds))
    return joined(parts, np.concatenate([small, chosen]))


def _folded(found: Summaries, rows: Longs, offsets: Longs) -> Summaries:
    """For each group the summaries of its rows, each merged into those before."""
    sizes = np.diff(offsets)
    result = found.taken(_nth(rows, offsets, sizes, 0))
    for number in range(1, int(sizes.max(initial=0))):
        result = result.merged(found.taken(_nth(rows, offsets, sizes, number)))
    return result


def _nth(rows: Longs, offsets: Longs, sizes: Longs, number: int) -> Longs:
    """The row of this number of each group, -1 where there are not so many."""
    some = sizes > number
    result = np.full(len(sizes), -1)
    result[some] = rows[offsets[:-1][some] + number]
    return result


def _given(k: Kernels, call: AggregateCall, found: Summaries) -> Column:
    """The values at the percentages, or the summaries in a phase that gives buffers."""
    if call.finishes:
        return _values_at(k, call, found)
    content, offsets = found.rows()
    return binaries_with(k, content, offsets)


def _values_at(k: Kernels, call: AggregateCall, found: Summaries) -> Column:
    """The values at the percentages; null for no values."""
    shares = call.constants[1]
    results = found.at(shares if isinstance(call.type, ArrayType) else (shares,))
    _check_digits(results, call.argument_types[0])
    used = k.columns.from_arrow(pa.array(found.counts > 0), BOOLEAN)
    elements = k.columns.from_arrow(pa.array(results.reshape(-1)), DOUBLE)
    if not isinstance(call.type, ArrayType):
        return Column(k.columns.scatter(_of_doubles(k, elements, call.type), used), call.type)
    width = k.columns.scalar(results.shape[1], LONG)
    ends = k.arithmetic.multiply(k.columns.sequence(len(results) + 1), width)
    typed = _of_doubles(k, elements, call.type.element)
    arrays = k.nested.array(ends, typed, call.type)
    return Column(k.columns.scatter(arrays, used), call.type)
