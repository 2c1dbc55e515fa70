"""Logarithms; null where there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.exponentials import OF_TWO_DOUBLES
from broadhead.functions.mathematics import OF_DOUBLE
from broadhead.functions.operands import arrays
from broadhead.functions.registry import function
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

SQUARED_END = 2.0**511
"""Numbers below have a finite square."""


def _above(k: Kernels, data: Array, bound: float) -> Array:
    """The numbers above a bound, null for others."""
    low = k.compare.compare("less_equal", data, k.columns.scalar(bound, DOUBLE))
    return k.logic.null_where(data, k.logic.is_true(low))


@function("ln", spark="Log", signatures=OF_DOUBLE, level="last digits")
def ln(k: Kernels, number: Column) -> Column:
    """The natural logarithm, null of a number that is not above zero.

    >>> SELECT ln(1D)
    0.0
    """
    return Column(k.elementary.log(_above(k, number.data, 0.0)), DOUBLE)


@function("log", spark="Logarithm", signatures=OF_TWO_DOUBLES, level="last digits")
def logarithm(k: Kernels, base: Column, number: Column) -> Column:
    """The logarithm to a base, null where either is not above zero.

    >>> SELECT log(10D, 100D)
    2.0
    """
    bases, numbers = (_above(k, data, 0.0) for data in arrays(k, [base, number]))
    quotient = k.arithmetic.divide(k.elementary.log(numbers), k.elementary.log(bases))
    return Column(quotient, DOUBLE)


@function("log10", spark="Log10", signatures=OF_DOUBLE, level="last digits")
def log10(k: Kernels, number: Column) -> Column:
    """The logarithm to the base 10, null of a number that is not above zero.

    >>> SELECT log10(1000D)
    3.0
    """
    return Column(k.elementary.log10(_above(k, number.data, 0.0)), DOUBLE)


@function("log2", spark="Log2", signatures=OF_DOUBLE, level="last digits")
def log2(k: Kernels, number: Column) -> Column:
    """The logarithm to the base 2, null of a number that is not above zero.

    >>> SELECT log2(2D)
    1.0
    """
    natural = k.elementary.log(_above(k, number.data, 0.0))
    return Column(k.arithmetic.divide(natural, k.columns.scalar(math.log(2), DOUBLE)), DOUBLE)


@function("log1p", spark="Log1p", signatures=OF_DOUBLE, level="last digits")
def log1p(k: Kernels, number: Column) -> Column:
    """The natural logarithm of 1 plus the number, null of a number that is not above -1.

    >>> SELECT log1p(0D)
    0.0
    """
    return Column(k.elementary.log1p(_above(k, number.data, -1.0)), DOUBLE)


@function("atanh", spark="Atanh", signatures=OF_DOUBLE, level="last digits")
def atanh(k: Kernels, number: Column) -> Column:
    """The inverse hyperbolic tangent, NaN beyond 1.

    >>> SELECT atanh(0D)
    0.0
    """
    above = k.elementary.log1p(number.data)
    below = k.elementary.log1p(k.arithmetic.negate(number.data))
    half = k.columns.scalar(0.5, DOUBLE)
    return Column(k.arithmetic.multiply(half, k.arithmetic.subtract(above, below)), DOUBLE)


@function("asinh", spark="Asinh", signatures=OF_DOUBLE, level="last digits")
def asinh(k: Kernels, number: Column) -> Column:
    """The inverse hyperbolic sine.

    >>> SELECT asinh(0D)
    0.0
    """
    (data,) = arrays(k, [number])
    one, least = k.columns.scalar(1.0, DOUBLE), k.columns.scalar(-math.inf, DOUBLE)
    root = k.arithmetic.sqrt(k.arithmetic.add(_squared(k, data), one))
    found = k.elementary.log(k.arithmetic.add(data, root))
    is_least = k.logic.is_true(k.compare.compare("equal", data, least))
    return Column(k.logic.if_else(is_least, data, found), DOUBLE)


@function("acosh", spark="Acosh", signatures=OF_DOUBLE, level="last digits")
def acosh(k: Kernels, number: Column) -> Column:
    """The inverse hyperbolic cosine, NaN of a number below 1.

    >>> SELECT acosh(1D)
    0.0
    """
    (data,) = arrays(k, [number])
    one = k.columns.scalar(1.0, DOUBLE)
    root = k.arithmetic.sqrt(k.arithmetic.subtract(_squared(k, data), one))
    return Column(k.elementary.log(k.arithmetic.add(data, root)), DOUBLE)


def _squared(k: Kernels, data: Array) -> Array:
    """The squares; raises for large numbers, of which releases of Spark give different results."""
    magnitude = k.arithmetic.abs(data)
    end, infinity = k.columns.scalar(SQUARED_END, DOUBLE), k.columns.scalar(math.inf, DOUBLE)
    large = k.compare.compare("less_equal", end, magnitude)
    if k.logic.any(k.logic.and_(large, k.compare.compare("less", magnitude, infinity))):
        raise EngineLimit("the square of a number may not be finite")
    return k.arithmetic.multiply(data, data)
