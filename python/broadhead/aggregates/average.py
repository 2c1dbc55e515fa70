"""avg: sum and count, divided in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.aggregates.interval_sums import interval_mean, interval_request, interval_sum
from broadhead.aggregates.rare_flags import merged_with_flags
from broadhead.aggregates.registry import Rounds, aggregate
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
from broadhead.types import DOUBLE, LONG, DecimalType, IntervalType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall


@aggregate(
    "avg",
    spark="Average",
    signatures=[
        Signature((INTEGRAL | FLOATING,), frozenset({"double"})),
        Signature((DECIMAL,), frozenset({"decimal"})),
        Signature((YEAR_MONTH_INTERVAL,), YEAR_MONTH_INTERVAL),
        Signature((DAY_TIME_INTERVAL,), DAY_TIME_INTERVAL),
    ],
    fields=EVAL_MODE,
    note="may differ where the running total leaves the range of the type and comes back into it",
)
class Average:
    """Buffers.

    The sum (double, a decimal of 10 more digits or an interval, null where it has overflowed; 0
    for no values) and the count. SELECT avg(price)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """Sum and count of rows."""
        data = inputs[0].data
        if call.type == DOUBLE:
            data = k.cast.widen(data, DOUBLE)
        answer, count = yield [_request(k, call, data), Request("count", data)]
        total = _or_zero(k, call, answer, count)
        return [Column(total, call.buffers[0].type), Column(count, LONG)]

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Sum of sums and of counts; a sum that has overflowed stays so."""
        overflowed = k.logic.is_null(buffers[0].data)
        (answer, count), (any_overflow,) = yield from merged_with_flags(
            k,
            grouping,
            [_request(k, call, buffers[0].data), Request("sum", buffers[1].data)],
            [("max", overflowed)],
        )
        count = k.logic.coalesce([count, k.columns.scalar(0, LONG)])
        total = _or_zero(k, call, answer, count)
        total = k.logic.null_where(total, any_overflow)
        return [Column(total, call.buffers[0].type), Column(count, LONG)]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """Sum / count; null for no values."""
        total, count = buffers[0].data, buffers[1].data
        if isinstance(call.type, IntervalType):
            return Column(interval_mean(k, call.type, total, count), call.type)
        none = k.compare.compare("equal", count, k.columns.scalar(0, LONG))
        if not isinstance(call.type, DecimalType):
            quotient = k.arithmetic.divide(total, k.cast.widen(count, DOUBLE))
            return Column(k.logic.null_where(quotient, none), DOUBLE)
        sum_type = call.buffers[0].type
        assert isinstance(sum_type, DecimalType)
        quotient, too_large = k.decimal.divide(
            total, sum_type.scale, count, 0, call.type.precision, call.type.scale
        )
        if dict(call.fields)["eval_mode"] == "ANSI":
            overflowed = k.logic.and_(k.logic.is_null(total), k.logic.not_(none))
            if too_large is not None or k.logic.any(overflowed):
                raise WouldRaise("NUMERIC_VALUE_OUT_OF_RANGE")
        return Column(quotient, call.type)


def _request(k: Kernels, call: AggregateCall, data: Any) -> Request:
    data_type = call.buffers[0].type
    if isinstance(data_type, IntervalType):
        return interval_request(k, data_type, data)
    if isinstance(data_type, DecimalType):
        return Request("sum_unscaled", data, data_type.precision)
    return Request("sum", data)


def _or_zero(k: Kernels, call: AggregateCall, answer: Any, count: Any) -> Any:
    """The sum; 0 for no values. Raises `WouldRaise` for a sum that overflows."""
    data_type = call.buffers[0].type
    total = answer
    if isinstance(data_type, IntervalType):
        total = interval_sum(k, data_type, answer)
    elif isinstance(data_type, DecimalType):
        total, overflow = answer
        if overflow is not None and k.logic.any(overflow):
            raise WouldRaise("ARITHMETIC_OVERFLOW")
    none = k.compare.compare("equal", count, k.columns.scalar(0, LONG))
    zero = k.columns.scalar(0.0 if data_type == DOUBLE else 0, data_type)
    return k.logic.if_else(none, zero, total)
