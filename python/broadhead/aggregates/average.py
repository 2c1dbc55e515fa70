"""avg: sum and count, divided in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.interval_sums import interval_mean
from broadhead.aggregates.rare_flags import merged_with_flags
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.sum import INTERVAL_SIGNATURES, total_or_zero, total_request
from broadhead.columns import Column
from broadhead.errors import WouldRaise
from broadhead.functions.registry import DECIMAL, EVAL_MODE, FLOATING, INTEGRAL
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import DOUBLE, LONG, DecimalType, IntervalType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall


@aggregate(
    "avg",
    spark="Average",
    signatures=[
        Signature((INTEGRAL | FLOATING,), frozenset({"double"}), level="last digits"),
        Signature((DECIMAL,), frozenset({"decimal"})),
        *INTERVAL_SIGNATURES,
    ],
    fields=EVAL_MODE,
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
        answer, count = yield [total_request(k, call, data), Request("count", data)]
        total = total_or_zero(k, call, answer, _none(k, count))
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
            [total_request(k, call, buffers[0].data), Request("sum", buffers[1].data)],
            [("max", overflowed)],
        )
        count = k.logic.coalesce([count, k.columns.scalar(0, LONG)])
        total = total_or_zero(k, call, answer, _none(k, count))
        total = k.logic.null_where(total, any_overflow)
        return [Column(total, call.buffers[0].type), Column(count, LONG)]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """Sum / count; null for no values."""
        total, count = buffers[0].data, buffers[1].data
        if isinstance(call.type, IntervalType):
            return Column(interval_mean(k, call.type, total, count), call.type)
        none = _none(k, count)
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


def _none(k: Kernels, count: Array) -> Array:
    return k.compare.compare("equal", count, k.columns.scalar(0, LONG))
