"""stddev and variance, from the second central moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [Signature((frozenset({"double"}),), frozenset({"double"}))]
FIELDS = {"nullOnDivideByZero": (True, False), "nanFromNothing": (True, False)}


class _CentralMoment:
    """Buffers, all double.

    The count, the mean, and the sum of squared differences from the mean.
    """

    sample: bool
    root: bool

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The moments of rows."""
        data = inputs[0].data
        count, total, squares, least, greatest = yield [
            Request("count", data),
            Request("sum", data),
            Request("moment2", data),
            Request("min", data),
            Request("max", data),
        ]
        count = k.cast.widen(count, DOUBLE)
        uniform = k.compare.compare("equal", least, greatest)
        mean = k.logic.if_else(uniform, least, k.arithmetic.divide(total, count))
        # 0, and NaN for infinities
        apart = k.arithmetic.subtract(least, least)
        return moment_buffers(k, count, mean, k.logic.if_else(uniform, apart, squares))

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Moments of moments (Chan et al.).

        Differences of means are taken before they are squared.
        """
        add, multiply = k.arithmetic.add, k.arithmetic.multiply
        count, mean, squares = (buffer.data for buffer in buffers)
        empty = k.compare.compare("equal", count, k.columns.scalar(0.0, DOUBLE))
        means = k.logic.null_where(mean, empty)
        total, weighted, least, greatest = yield [
            Request("sum", count),
            Request("sum", multiply(count, mean)),
            Request("min", means),
            Request("max", means),
        ]
        total = k.logic.coalesce([total, k.columns.scalar(0.0, DOUBLE)])
        uniform = k.compare.compare("equal", least, greatest)
        merged_mean = k.logic.if_else(uniform, least, k.arithmetic.divide(weighted, total))
        zeroed = zero_where_none(k, total, merged_mean)
        distance = k.arithmetic.subtract(mean, grouping.spread(zeroed))
        (merged,) = yield [
            Request("sum", add(squares, multiply(count, multiply(distance, distance))))
        ]
        return moment_buffers(k, total, merged_mean, merged)

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The variance or its root; null for no values."""
        count, mean, squares = (buffer.data for buffer in buffers)
        if call.mode == "Final" and dict(call.fields)["nan_from_nothing"]:
            squares = k.arithmetic.add(squares, from_nothing(k, count, mean, mean))
        one = k.columns.scalar(1.0, DOUBLE)
        divisor = k.arithmetic.subtract(count, one) if cls.sample else count
        result = k.arithmetic.divide(squares, divisor)
        if cls.root:
            result = k.arithmetic.sqrt(result)
        if cls.sample:
            undefined = k.compare.compare("equal", count, one)
            nan = None if dict(call.fields)["null_on_divide_by_zero"] else float("nan")
            result = k.logic.if_else(undefined, k.columns.scalar(nan, DOUBLE), result)
        none = k.compare.compare("equal", count, k.columns.scalar(0.0, DOUBLE))
        return Column(k.logic.null_where(result, none), DOUBLE)


def from_nothing(k: Kernels, count: Any, mean: Any, other: Any) -> Any:
    """The products that merging into an empty buffer adds: 0, or NaN on overflow to infinity.

    Before 4.3, merging with an empty buffer computes inf * 0 = NaN from the product of the means.
    """
    product = k.arithmetic.multiply(mean, k.arithmetic.divide(other, count))
    zero = k.arithmetic.multiply(product, k.columns.scalar(0.0, DOUBLE))
    return zero_where_none(k, count, zero)


def moment_buffers(k: Kernels, count: Any, *moments: Any) -> list[Column]:
    """The count and the other buffers, 0 for no values."""
    return [
        Column(count, DOUBLE),
        *(Column(zero_where_none(k, count, data), DOUBLE) for data in moments),
    ]


def zero_where_none(k: Kernels, count: Any, data: Any) -> Any:
    """The data, 0 where there are no values."""
    zero = k.columns.scalar(0.0, DOUBLE)
    return k.logic.if_else(k.compare.compare("equal", count, zero), zero, data)


@aggregate(
    "regr_sxx",
    spark="RegrReplacement",
    signatures=SIGNATURES,
    fields={"nanFromNothing": (True, False)},
    level="last digits",
)
class RegrReplacement(_CentralMoment):
    """Sum of squared differences from the mean; regr_syy is the same of the other variable.

    SELECT regr_sxx(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The squares; null for no values."""
        count, mean, squares = (buffer.data for buffer in buffers)
        if call.mode == "Final" and dict(call.fields)["nan_from_nothing"]:
            squares = k.arithmetic.add(squares, from_nothing(k, count, mean, mean))
        none = k.compare.compare("equal", count, k.columns.scalar(0.0, DOUBLE))
        return Column(k.logic.null_where(squares, none), DOUBLE)


@aggregate(
    "stddev_samp", spark="StddevSamp", signatures=SIGNATURES, fields=FIELDS, level="last digits"
)
class StddevSamp(_CentralMoment):
    """Standard deviation of a sample.

    SELECT stddev(price)
    """

    sample, root = True, True


@aggregate(
    "stddev_pop", spark="StddevPop", signatures=SIGNATURES, fields=FIELDS, level="last digits"
)
class StddevPop(_CentralMoment):
    """Standard deviation of a population.

    SELECT stddev_pop(price)
    """

    sample, root = False, True


@aggregate(
    "var_samp", spark="VarianceSamp", signatures=SIGNATURES, fields=FIELDS, level="last digits"
)
class VarianceSamp(_CentralMoment):
    """Variance of a sample.

    SELECT variance(price)
    """

    sample, root = True, False


@aggregate(
    "var_pop", spark="VariancePop", signatures=SIGNATURES, fields=FIELDS, level="last digits"
)
class VariancePop(_CentralMoment):
    """Variance of a population.

    SELECT var_pop(price)
    """

    sample, root = False, False
