"""skewness and kurtosis, from the third and the fourth central moment."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

from broadhead.aggregates.means import divided, mean_of_means, mean_of_rows
from broadhead.aggregates.moments import SIGNATURES, from_nothing, moment_buffers
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.kernels.interface.group import Request
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

FIELDS = {
    "nullOnDivideByZero": (True, False),
    "nanFromNothing": (True, False),
    "failOnError": (True, False),
}


class _HigherMoment:
    """Buffers, all double.

    The count, the mean, and the sums of the second to the highest power of the differences from
    the mean.
    """

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The moments of rows."""
        data = inputs[0].data
        count, mean = yield from mean_of_rows(k, data)
        apart = k.arithmetic.subtract(data, grouping.spread(mean))
        powers = [apart]
        for _ in call.buffers[2:]:
            powers.append(k.arithmetic.multiply(powers[-1], apart))
        sums = yield [Request("sum", power) for power in powers[1:]]
        return moment_buffers(k, count, mean, *sums)

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Moments of moments.

        With the distance of a buffer's mean from the mean of all, its rows are further away by it:
        the powers of these sums are expanded.
        """
        count, mean, *sums = (buffer.data for buffer in buffers)
        total, merged_mean = yield from mean_of_means(k, count, mean)
        apart = k.arithmetic.subtract(mean, grouping.spread(merged_mean))
        # the sum of the differences themselves is 0
        moments = {0: count} | dict(enumerate(sums, 2))
        shifted = [_shifted(k, moments, order, apart) for order in range(2, len(sums) + 2)]
        merged = yield [Request("sum", moment) for moment in shifted]
        return moment_buffers(k, total, merged_mean, *merged)


def _shifted(k: Kernels, moments: dict[int, Any], order: int, apart: Any) -> Any:
    """The moment of an order around a mean that is so far apart from the rows' own."""
    total = moments[order]
    factor = None
    for power in range(1, order + 1):
        factor = apart if factor is None else k.arithmetic.multiply(factor, apart)
        if order - power in moments:
            weight = k.columns.scalar(float(comb(order, power)), DOUBLE)
            term = k.arithmetic.multiply(factor, moments[order - power])
            total = k.arithmetic.add(total, k.arithmetic.multiply(weight, term))
    return total


def _finished(
    k: Kernels, call: AggregateCall, buffers: Sequence[Column]
) -> tuple[Any, Any, list[Any]]:
    """The count, a mask of the groups whose values are all equal, and the moments."""
    count, mean, *moments = (buffer.data for buffer in buffers)
    if call.mode == "Final" and dict(call.fields)["nan_from_nothing"]:
        nothing = from_nothing(k, count, mean, mean)
        moments = [k.arithmetic.add(moment, nothing) for moment in moments]
    uniform = k.compare.compare("equal", moments[0], k.columns.scalar(0.0, DOUBLE))
    return count, uniform, moments


def _or_undefined(k: Kernels, call: AggregateCall, count: Any, uniform: Any, result: Any) -> Column:
    """The result; null for no values, and null or NaN if all values are equal."""
    nan = None if dict(call.fields)["null_on_divide_by_zero"] else float("nan")
    result = k.logic.if_else(uniform, k.columns.scalar(nan, DOUBLE), result)
    none = k.compare.compare("equal", count, k.columns.scalar(0.0, DOUBLE))
    return Column(k.logic.null_where(result, none), DOUBLE)


@aggregate(
    "skewness",
    spark="Skewness",
    signatures=SIGNATURES,
    fields=FIELDS,
    level="last digits",
    frames=False,
)
class Skewness(_HigherMoment):
    """How far the values lie to one side.

    SELECT skewness(price)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The third moment over the cube of the deviation."""
        multiply, sqrt = k.arithmetic.multiply, k.arithmetic.sqrt
        count, uniform, (second, third) = _finished(k, call, buffers)
        divisor = sqrt(multiply(multiply(second, second), second))
        result = divided(k, call, multiply(sqrt(count), third), divisor, uniform)
        return _or_undefined(k, call, count, uniform, result)


@aggregate(
    "kurtosis",
    spark="Kurtosis",
    signatures=SIGNATURES,
    fields=FIELDS,
    level="last digits",
    frames=False,
)
class Kurtosis(_HigherMoment):
    """How far the values lie from the middle.

    SELECT kurtosis(price)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The fourth moment over the square of the variance, less that of a normal distribution."""
        multiply = k.arithmetic.multiply
        count, uniform, (second, _, fourth) = _finished(k, call, buffers)
        ratio = divided(k, call, multiply(count, fourth), multiply(second, second), uniform)
        result = k.arithmetic.subtract(ratio, k.columns.scalar(3.0, DOUBLE))
        return _or_undefined(k, call, count, uniform, result)
