"""Sums of intervals, which fail on overflow of their integers, and their means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.errors import WouldRaise
from broadhead.kernels.interface.group import Request
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Checked, Kernels
    from broadhead.types import IntervalType

_UPPER_HALF = 1 << 32
"""Months are added in the upper half of a long, which overflows where 32 bits would."""


def interval_request(k: Kernels, data_type: IntervalType, data: Array) -> Request:
    """The request to a grouping for the sum of intervals; `interval_sum` takes its result."""
    if data_type.physical == INTEGER:
        unit = k.columns.scalar(_UPPER_HALF, LONG)
        data = k.arithmetic.multiply(k.cast.widen(data, LONG), unit)
    return Request("sum_checked", data)


def interval_sum(k: Kernels, data_type: IntervalType, answer: Checked) -> Array:
    """The sum, null for no values.

    Raises `WouldRaise` if some order of additions overflows: Spark's own order decides whether that
    is an error, or null for try_sum and try_avg.
    """
    total, overflow = answer
    if overflow is not None and k.logic.any(overflow):
        raise WouldRaise("INTERVAL_ARITHMETIC_OVERFLOW")
    if data_type.physical == INTEGER:
        months = k.arithmetic.quotient(total, k.columns.scalar(_UPPER_HALF, LONG))
        return k.cast.narrow_integer(months, INTEGER)
    return total


def interval_mean(k: Kernels, data_type: IntervalType, total: Array, count: Array) -> Array:
    """Sum / count, halves away from zero; null if the count is 0 or the sum null."""
    if data_type.physical == INTEGER:
        total = k.cast.widen(total, LONG)
    mean = k.arithmetic.quotient(total, count)
    rest = k.arithmetic.abs(k.arithmetic.subtract(total, k.arithmetic.multiply(mean, count)))
    # twice the remainder might not fit
    rounds = k.compare.compare("less_equal", k.arithmetic.subtract(count, rest), rest)
    zero, one = k.columns.scalar(0, LONG), k.columns.scalar(1, LONG)
    below = k.compare.compare("less", total, zero)
    further = k.logic.if_else(below, k.arithmetic.subtract(mean, one), k.arithmetic.add(mean, one))
    mean = k.logic.if_else(rounds, further, mean)
    return k.cast.narrow_integer(mean, INTEGER) if data_type.physical == INTEGER else mean
