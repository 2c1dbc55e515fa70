"""Means of groups and of buffers, for the statistics of differences from the mean."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from broadhead.errors import WouldRaise
from broadhead.kernels.interface.group import Request
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.plan.nodes import AggregateCall

CountAndMean = Generator["list[Request]", "list[Any]", "tuple[Any, Any]"]


def mean_of_rows(k: Kernels, data: Any) -> CountAndMean:
    """The number of values of each group, double, and their mean."""
    count, total, least, greatest = yield [
        Request("count", data),
        Request("sum", data),
        Request("min", data),
        Request("max", data),
    ]
    count = k.cast.widen(count, DOUBLE)
    return count, _exact_if_uniform(k, k.arithmetic.divide(total, count), least, greatest)


def mean_of_means(k: Kernels, count: Any, mean: Any) -> CountAndMean:
    """The sum of the counts of each group's buffers, and the mean of their values."""
    zero = k.columns.scalar(0.0, DOUBLE)
    means = k.logic.null_where(mean, k.compare.compare("equal", count, zero))
    total, weighted, least, greatest = yield [
        Request("sum", count),
        Request("sum", k.arithmetic.multiply(count, mean)),
        Request("min", means),
        Request("max", means),
    ]
    total = k.logic.coalesce([total, zero])
    merged = _exact_if_uniform(k, k.arithmetic.divide(weighted, total), least, greatest)
    return total, k.logic.if_else(k.compare.compare("equal", total, zero), zero, merged)


def _exact_if_uniform(k: Kernels, mean: Any, least: Any, greatest: Any) -> Any:
    """The mean, without an error where all values are equal: Spark gives exactly 0 for these."""
    return k.logic.if_else(k.compare.compare("equal", least, greatest), least, mean)


def divided(k: Kernels, call: AggregateCall, dividend: Any, divisor: Any, unused: Any) -> Any:
    """The quotient; null where Spark divides by zero, or `WouldRaise` under ANSI.

    It does not divide in the groups without values, and in those where `unused` is true.
    """
    zero = k.compare.compare("equal", divisor, k.columns.scalar(0.0, DOUBLE))
    zero = k.logic.and_(k.logic.is_true(zero), k.logic.not_(k.logic.is_true(unused)))
    if dict(call.fields)["fail_on_error"] and k.logic.any(zero):
        raise WouldRaise("DIVIDE_BY_ZERO")
    return k.logic.null_where(k.arithmetic.divide(dividend, divisor), zero)
