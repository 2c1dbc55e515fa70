"""corr, covar_pop, covar_samp and the regr functions: statistics of pairs of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from broadhead.aggregates.means import divided, mean_of_means, mean_of_rows
from broadhead.aggregates.moments import from_nothing, moment_buffers
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.columns import Column
from broadhead.kernels.interface.group import Request
from broadhead.registry import Signature
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

NUMBER = frozenset({"double"})
SIGNATURES = [Signature((NUMBER, NUMBER), NUMBER)]
NOTHING = {"nanFromNothing": (True, False)}
ON_ZERO = {"nullOnDivideByZero": (True, False)}

PRODUCT, FIRST_SQUARES, SECOND_SQUARES = (0, 1), (0, 0), (1, 1)


class _Pairs:
    """Buffers, all double, of the pairs without a null.

    The count, both means, and the sums of the `products` of differences from the means: each of
    two variables.
    """

    products: ClassVar[tuple[tuple[int, int], ...]] = (PRODUCT,)

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The moments of rows."""
        some_null = k.logic.or_(*(k.logic.is_null(column.data) for column in inputs))
        data = [k.logic.null_where(column.data, some_null) for column in inputs]
        count, first = yield from mean_of_rows(k, data[0])
        _, second = yield from mean_of_rows(k, data[1])
        apart = [
            k.arithmetic.subtract(values, grouping.spread(mean))
            for values, mean in zip(data, (first, second), strict=True)
        ]
        sums = yield [
            Request("sum", k.arithmetic.multiply(apart[a], apart[b])) for a, b in cls.products
        ]
        return moment_buffers(k, count, first, second, *sums)

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Moments of moments; differences of means are taken before they are multiplied."""
        add, multiply = k.arithmetic.add, k.arithmetic.multiply
        count, *means_and_sums = (buffer.data for buffer in buffers)
        means, sums = means_and_sums[:2], means_and_sums[2:]
        total, first = yield from mean_of_means(k, count, means[0])
        _, second = yield from mean_of_means(k, count, means[1])
        apart = [
            k.arithmetic.subtract(mean, grouping.spread(merged))
            for mean, merged in zip(means, (first, second), strict=True)
        ]
        merged = yield [
            Request("sum", add(own, multiply(count, multiply(apart[a], apart[b]))))
            for own, (a, b) in zip(sums, cls.products, strict=True)
        ]
        return moment_buffers(k, total, first, second, *merged)

    @classmethod
    def moments(
        cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]
    ) -> tuple[Any, Any, list[Any], list[Any]]:
        """The count, a mask of groups without values, both means, and the sums of products."""
        count, *means_and_sums = (buffer.data for buffer in buffers)
        means, sums = means_and_sums[:2], means_and_sums[2:]
        if call.mode == "Final" and dict(call.fields)["nan_from_nothing"]:
            sums = [
                k.arithmetic.add(own, from_nothing(k, count, means[a], means[b]))
                for own, (a, b) in zip(sums, cls.products, strict=True)
            ]
        none = k.compare.compare("equal", count, k.columns.scalar(0.0, DOUBLE))
        return count, none, means, sums


@aggregate(
    "covar_pop",
    spark="CovPopulation",
    signatures=SIGNATURES,
    fields={**NOTHING, "nullOnDivideByZero": "any"},
    level="last digits",
    frames=False,
)
class CovPopulation(_Pairs):
    """Covariance of a population.

    SELECT covar_pop(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The mean product."""
        count, none, _, (product,) = cls.moments(k, call, buffers)
        return Column(k.logic.null_where(k.arithmetic.divide(product, count), none), DOUBLE)


@aggregate(
    "covar_samp",
    spark="CovSample",
    signatures=SIGNATURES,
    fields={**NOTHING, **ON_ZERO},
    level="last digits",
    frames=False,
)
class CovSample(_Pairs):
    """Covariance of a sample.

    SELECT covar_samp(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The product over one less than the count."""
        count, none, _, (product,) = cls.moments(k, call, buffers)
        one = k.columns.scalar(1.0, DOUBLE)
        result = k.arithmetic.divide(product, k.arithmetic.subtract(count, one))
        result = _of_one(k, call, count, result)
        return Column(k.logic.null_where(result, none), DOUBLE)


def _of_one(k: Kernels, call: AggregateCall, count: Any, result: Any) -> Any:
    """The result; null or NaN for a single pair."""
    nan = None if dict(call.fields)["null_on_divide_by_zero"] else float("nan")
    single = k.compare.compare("equal", count, k.columns.scalar(1.0, DOUBLE))
    return k.logic.if_else(single, k.columns.scalar(nan, DOUBLE), result)


@aggregate(
    "regr_sxy",
    spark="RegrSXY",
    signatures=SIGNATURES,
    fields=NOTHING,
    level="last digits",
    frames=False,
)
class RegrSXY(_Pairs):
    """Sum of the products of differences from the means.

    SELECT regr_sxy(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The sum; null for no pairs."""
        _, none, _, (product,) = cls.moments(k, call, buffers)
        return Column(k.logic.null_where(product, none), DOUBLE)


class _Correlation(_Pairs):
    products = (PRODUCT, FIRST_SQUARES, SECOND_SQUARES)

    @classmethod
    def ratio(cls, k: Kernels, call: AggregateCall, sums: Sequence[Any], unused: Any) -> Any:
        """The product over the root of the squares' product."""
        product, first, second = sums
        root = k.arithmetic.sqrt(k.arithmetic.multiply(first, second))
        return divided(k, call, product, root, unused)


@aggregate(
    "corr",
    spark="Corr",
    signatures=SIGNATURES,
    fields={**NOTHING, **ON_ZERO, "failOnError": (True, False)},
    level="last digits",
    frames=False,
)
class Corr(_Correlation):
    """Pearson's coefficient of correlation.

    SELECT corr(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The coefficient."""
        count, none, _, sums = cls.moments(k, call, buffers)
        few = k.compare.compare("less_equal", count, k.columns.scalar(1.0, DOUBLE))
        result = _of_one(k, call, count, cls.ratio(k, call, sums, few))
        return Column(k.logic.null_where(result, none), DOUBLE)


@aggregate(
    "regr_r2",
    spark="RegrR2",
    signatures=SIGNATURES,
    fields={**NOTHING, "failOnError": (True, False)},
    level="last digits",
    # Spark 3.5 takes the variables for each other where one of them is constant.
    since="4.0",
    frames=False,
)
class RegrR2(_Correlation):
    """Coefficient of determination.

    SELECT regr_r2(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The square of the correlation; 1 if the dependent variable has one value only."""
        _, _, _, sums = cls.moments(k, call, buffers)
        zero, one = (k.columns.scalar(number, DOUBLE) for number in (0.0, 1.0))
        flat, steep = (k.compare.compare("equal", squares, zero) for squares in sums[1:])
        ratio = cls.ratio(k, call, sums, k.logic.or_(flat, steep))
        result = k.logic.if_else(flat, one, k.arithmetic.multiply(ratio, ratio))
        return Column(k.logic.null_where(result, steep), DOUBLE)


class _Line:
    """Buffers, all double.

    The count, the means of the independent and the dependent variable, the sum of the products of
    differences from them; and the count, the mean and the squares of the independent variable.
    """

    @classmethod
    def update(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The moments of rows."""
        dependent, independent = inputs
        moments = yield from _LineMoments.update(k, grouping, call, [independent, dependent])
        return _line_buffers(moments)

    @classmethod
    def merge(
        cls, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Moments of moments."""
        moments = yield from _LineMoments.merge(k, grouping, call, [*buffers[:4], buffers[6]])
        return _line_buffers(moments)

    @classmethod
    def line(
        cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]
    ) -> tuple[Any, Any, Any]:
        """The slope, null for fewer than two values of the independent variable; both means."""
        _, _, means, (product, squares) = _LineMoments.moments(k, call, [*buffers[:4], buffers[6]])
        vertical = k.compare.compare("equal", squares, k.columns.scalar(0.0, DOUBLE))
        slope = k.arithmetic.divide(product, squares)
        return k.logic.null_where(slope, vertical), *means


class _LineMoments(_Pairs):
    products = (PRODUCT, FIRST_SQUARES)


def _line_buffers(moments: Sequence[Column]) -> list[Column]:
    count, mean, other, product, squares = moments
    return [count, mean, other, product, count, mean, squares]


@aggregate(
    "regr_slope",
    spark="RegrSlope",
    signatures=SIGNATURES,
    fields=NOTHING,
    level="last digits",
    frames=False,
)
class RegrSlope(_Line):
    """Slope of the line of least squares.

    SELECT regr_slope(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The slope."""
        slope, _, _ = cls.line(k, call, buffers)
        return Column(slope, DOUBLE)


@aggregate(
    "regr_intercept",
    spark="RegrIntercept",
    signatures=SIGNATURES,
    fields=NOTHING,
    level="last digits",
    frames=False,
)
class RegrIntercept(_Line):
    """Where the line of least squares meets the axis.

    SELECT regr_intercept(price, quantity)
    """

    @classmethod
    def finish(cls, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The height of the line at 0."""
        slope, independent, dependent = cls.line(k, call, buffers)
        rise = k.arithmetic.multiply(slope, independent)
        return Column(k.arithmetic.subtract(dependent, rise), DOUBLE)
