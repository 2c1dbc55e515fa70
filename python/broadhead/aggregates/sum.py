"""sum: of numbers and intervals, with Spark's overflow rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.aggregates.interval_sums import interval_request, interval_sum
from broadhead.aggregates.null_counts import NULL_COUNT, counted_for_nulls
from broadhead.aggregates.rare_flags import merged_with_flags
from broadhead.aggregates.registry import Aggregate, Rounds, aggregate
from broadhead.columns import Column
from broadhead.errors import WouldRaise
from broadhead.functions.registry import (
    DAY_TIME_INTERVAL,
    DECIMAL,
    EVAL_MODE,
    FLOATING,
    INTEGRAL,
    YEAR_MONTH_INTERVAL,
)
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import BOOLEAN, DOUBLE, LONG, DecimalType, IntervalType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

INTERVAL_SIGNATURES = [
    Signature((YEAR_MONTH_INTERVAL,), YEAR_MONTH_INTERVAL),
    Signature((DAY_TIME_INTERVAL,), DAY_TIME_INTERVAL),
]


@aggregate(
    "sum",
    spark="Sum",
    signatures=[
        Signature((INTEGRAL,), frozenset({"long"})),
        Signature((FLOATING,), frozenset({"double"}), level="last digits"),
        Signature((DECIMAL,), frozenset({"decimal"})),
        *INTERVAL_SIGNATURES,
    ],
    fields=EVAL_MODE,
    rewritten=counted_for_nulls,
)
class Sum:
    """Buffers.

    The sum, null for no values; for decimals and try_sum the sum (null where it has overflowed, 0
    for no values) and `isEmpty`. SELECT sum(price)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """Sum of rows."""
        data = inputs[0].data
        if inputs[0].type.is_integral:
            data = k.cast.widen(data, LONG)
        if len(call.buffers) == 1:
            return (yield from _plain(k, call, data))
        (answer, count) = yield [total_request(k, call, data), Request("count", data)]
        empty = k.compare.compare("equal", count, k.columns.scalar(0, LONG))
        return _tracked(k, call, answer, empty)

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Sum of sums; an overflowed sum stays null."""
        data = buffers[0].data
        if len(buffers) == 1:
            return (yield from _plain(k, call, data))
        empty = buffers[1].data
        overflowed = k.logic.and_(k.logic.is_null(data), k.logic.not_(empty))
        (answer,), (all_empty, any_overflow) = yield from merged_with_flags(
            k, grouping, [total_request(k, call, data)], [("min", empty), ("max", overflowed)]
        )
        merged = _tracked(k, call, answer, all_empty)
        sums = k.logic.null_where(merged[0].data, any_overflow)
        return [Column(sums, merged[0].type), merged[1]]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The sum; null for no values."""
        if len(buffers) == 1:
            return buffers[0]
        data, empty = buffers[0].data, buffers[1].data
        overflowed = k.logic.and_(k.logic.is_null(data), k.logic.not_(empty))
        if dict(call.fields)["eval_mode"] == "ANSI" and k.logic.any(overflowed):
            raise WouldRaise("ARITHMETIC_OVERFLOW")
        return Column(k.logic.null_where(data, k.logic.is_true(empty)), call.type)


class _NullCount(Sum):
    """The sum of a call that `counted_for_nulls` has rewritten."""

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The rows without those that have a value; null for no rows."""
        counted = inputs[0].data
        every = k.columns.full(k.columns.scalar(True, BOOLEAN), k.columns.length(counted))
        rows, valid = yield [Request("count", every), Request("count", counted)]
        none = k.compare.compare("equal", rows, k.columns.scalar(0, LONG))
        return [Column(k.logic.null_where(k.arithmetic.subtract(rows, valid), none), LONG)]


NULL_COUNTS = Aggregate(
    name=NULL_COUNT.lower(), spark=NULL_COUNT, signatures=(), implementation=_NullCount()
)


def total_request(k: Kernels, call: AggregateCall, data: Array) -> Request:
    """The request for the sums of values of the call's first buffer."""
    data_type = call.buffers[0].type
    if isinstance(data_type, IntervalType):
        return interval_request(k, data_type, data)
    if isinstance(data_type, DecimalType):
        return Request("sum_unscaled", data, data_type.precision)
    checked = data_type == LONG and dict(call.fields)["eval_mode"] != "LEGACY"
    return Request("sum_checked" if checked else "sum", data)


def total(k: Kernels, call: AggregateCall, answer: Any) -> Array:
    """The sums of the answer to `total_request`. Raises `WouldRaise` for one that overflows."""
    data_type = call.buffers[0].type
    if isinstance(data_type, IntervalType):
        return interval_sum(k, data_type, answer)
    if not isinstance(answer, tuple):
        return answer
    sums, overflow = answer
    if overflow is not None and k.logic.any(overflow):
        raise WouldRaise("ARITHMETIC_OVERFLOW")
    return sums


def total_or_zero(k: Kernels, call: AggregateCall, answer: Any, empty: Array) -> Array:
    """The same, 0 for groups without values."""
    data_type = call.buffers[0].type
    zero = k.columns.scalar(0.0 if data_type == DOUBLE else 0, data_type)
    return k.logic.if_else(empty, zero, total(k, call, answer))


def _plain(k: Kernels, call: AggregateCall, data: Any) -> Rounds:
    """The sum in one buffer: overflow wraps around or is an error."""
    (answer,) = yield [total_request(k, call, data)]
    return [Column(total(k, call, answer), call.buffers[0].type)]


def _tracked(k: Kernels, call: AggregateCall, answer: Any, empty: Any) -> list[Column]:
    """Sum and isEmpty: 0 for no values.

    An overflowed sum is an error, null, or a valid intermediate result, depending on where Spark
    checks it.
    """
    sums = total_or_zero(k, call, answer, empty)
    return [Column(sums, call.buffers[0].type), Column(empty, BOOLEAN)]
