"""stddev and variance, from the second central moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.functions.registry import Signature
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

SIGNATURES = [Signature((frozenset({"double"}),), frozenset({"double"}))]
FIELDS = {"nullOnDivideByZero": (True, False)}
NOTE = "the last digits may differ: the order of additions does"


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
        count, total, squares = yield [("count", data, 0), ("sum", data, 0), ("moment2", data, 0)]
        count = k.cast.widen(count, DOUBLE)
        return _buffers(k, count, k.arithmetic.divide(total, count), squares)

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Moments of moments (Chan et al.).

        Differences of means are taken before they are squared.
        """
        add, multiply = k.arithmetic.add, k.arithmetic.multiply
        count, mean, squares = (buffer.data for buffer in buffers)
        total, weighted = yield [("sum", count, 0), ("sum", multiply(count, mean), 0)]
        total = k.logic.coalesce([total, k.columns.scalar(0.0, DOUBLE)])
        merged_mean = k.arithmetic.divide(weighted, total)
        zeroed = _zero_where_none(k, total, merged_mean)
        distance = k.arithmetic.subtract(mean, grouping.spread(zeroed))
        (merged,) = yield [("sum", add(squares, multiply(count, multiply(distance, distance))), 0)]
        return _buffers(k, total, merged_mean, merged)

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The variance or its root; null for no values."""
        count, _, squares = (buffer.data for buffer in buffers)
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


def _buffers(k: Kernels, count: Any, mean: Any, squares: Any) -> list[Column]:
    """The three buffers, 0 where there were no values."""
    zeroed = (count, _zero_where_none(k, count, mean), _zero_where_none(k, count, squares))
    return [Column(data, DOUBLE) for data in zeroed]


def _zero_where_none(k: Kernels, count: Any, data: Any) -> Any:
    zero = k.columns.scalar(0.0, DOUBLE)
    return k.logic.if_else(k.compare.compare("equal", count, zero), zero, data)


@aggregate("stddev_samp", spark="StddevSamp", signatures=SIGNATURES, fields=FIELDS, note=NOTE)
class StddevSamp(_CentralMoment):
    """Standard deviation of a sample.

    SELECT stddev(price)
    """

    sample, root = True, True


@aggregate("stddev_pop", spark="StddevPop", signatures=SIGNATURES, fields=FIELDS, note=NOTE)
class StddevPop(_CentralMoment):
    """Standard deviation of a population.

    SELECT stddev_pop(price)
    """

    sample, root = False, True


@aggregate("var_samp", spark="VarianceSamp", signatures=SIGNATURES, fields=FIELDS, note=NOTE)
class VarianceSamp(_CentralMoment):
    """Variance of a sample.

    SELECT variance(price)
    """

    sample, root = True, False


@aggregate("var_pop", spark="VariancePop", signatures=SIGNATURES, fields=FIELDS, note=NOTE)
class VariancePop(_CentralMoment):
    """Variance of a population.

    SELECT var_pop(price)
    """

    sample, root = False, False
