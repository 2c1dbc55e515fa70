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

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall


@aggregate(
    "sum",
    spark="Sum",
    signatures=[
        Signature((INTEGRAL,), frozenset({"long"})),
        Signature((FLOATING,), frozenset({"double"})),
        Signature((DECIMAL,), frozenset({"decimal"})),
        Signature((YEAR_MONTH_INTERVAL,), YEAR_MONTH_INTERVAL),
        Signature((DAY_TIME_INTERVAL,), DAY_TIME_INTERVAL),
    ],
    fields=EVAL_MODE,
    rewritten=counted_for_nulls,
    note="may differ where the running total leaves the range of the type and comes back into it",
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
        (answer, count) = yield [_request(k, call, data), Request("count", data)]
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
            k, grouping, [_request(k, call, data)], [("min", empty), ("max", overflowed)]
        )
        merged = _tracked(k, call, answer, all_empty)
        total = k.logic.null_where(merged[0].data, any_overflow)
        return [Column(total, merged[0].type), merged[1]]

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


def _request(k: Kernels, call: AggregateCall, data: Any) -> Request:
    data_type = call.buffers[0].type
    if isinstance(data_type, IntervalType):
        return interval_request(k, data_type, data)
    if isinstance(data_type, DecimalType):
        return Request("sum_unscaled", data, data_type.precision)
    if data_type == DOUBLE:
        return Request("sum", data)
    wraps = dict(call.fields)["eval_mode"] == "LEGACY"
    return Request("sum" if wraps else "sum_checked", data)


def _total(k: Kernels, call: AggregateCall, answer: Any) -> Any:
    """The sums of the result of `_request`. Raises `WouldRaise` for a sum that overflows."""
    data_type = call.buffers[0].type
    if isinstance(data_type, IntervalType):
        return interval_sum(k, data_type, answer)
    if not isinstance(answer, tuple):
        return answer
    total, overflow = answer
    if overflow is not None and k.logic.any(overflow):
        raise WouldRaise("ARITHMETIC_OVERFLOW")
    return total


def _plain(k: Kernels, call: AggregateCall, data: Any) -> Rounds:
    """The sum in one buffer: overflow wraps around or is an error."""
    (answer,) = yield [_request(k, call, data)]
    return [Column(_total(k, call, answer), call.buffers[0].type)]


def _tracked(k: Kernels, call: AggregateCall, answer: Any, empty: Any) -> list[Column]:
    """Sum and isEmpty: 0 for no values.

    An overflowed sum is an error, null, or a valid intermediate result, depending on where Spark
    checks it.
    """
    data_type = call.buffers[0].type
    zero = k.columns.scalar(0.0 if data_type == DOUBLE else 0, data_type)
    total = k.logic.if_else(empty, zero, _total(k, call, answer))
    return [Column(total, data_type), Column(empty, BOOLEAN)]
