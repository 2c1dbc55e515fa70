"""Functions of mathematics whose results are exact: sign, square root, degrees, factorial."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.columns import Column
from broadhead.functions.operands import arrays
from broadhead.functions.registry import INT, function
from broadhead.registry import Signature
from broadhead.types import DOUBLE, INTEGER, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

DOUBLE_NAME = frozenset({"double"})
OF_DOUBLE = (Signature((DOUBLE_NAME,), DOUBLE_NAME),)
DEGREES_OF_RADIAN = 57.29577951308232
"""The constant of Java's `Math.toDegrees`."""
LAST_FACTORIAL = 20
"""The factorial of the next number is no long."""


@function("sqrt", spark="Sqrt", signatures=OF_DOUBLE)
def sqrt(k: Kernels, number: Column) -> Column:
    """The square root, NaN of a number below zero.

    >>> SELECT sqrt(6.25D)
    2.5
    """
    return Column(k.arithmetic.sqrt(number.data), DOUBLE)


@function("sign", spark="Signum", signatures=OF_DOUBLE)
def signum(k: Kernels, number: Column) -> Column:
    """-1, 1, or the number itself where it is zero or NaN.

    >>> SELECT sign(-40D)
    -1.0
    """
    (data,) = arrays(k, [number])
    zero = k.columns.scalar(0.0, DOUBLE)
    one, minus = k.columns.scalar(1.0, DOUBLE), k.columns.scalar(-1.0, DOUBLE)
    # NaN is greater than all values
    positive = k.logic.and_(
        k.compare.compare("less", zero, data), k.logic.not_(k.logic.is_nan(data))
    )
    signed = k.logic.if_else(k.compare.compare("less", data, zero), minus, data)
    return Column(k.logic.if_else(positive, one, signed), DOUBLE)


@function("degrees", spark="ToDegrees", signatures=OF_DOUBLE)
def degrees(k: Kernels, number: Column) -> Column:
    """Radians as degrees.

    >>> SELECT degrees(3.141592653589793D)
    180.0
    """
    return Column(
        k.arithmetic.multiply(number.data, k.columns.scalar(DEGREES_OF_RADIAN, DOUBLE)), DOUBLE
    )


@function("factorial", spark="Factorial", signatures=[Signature((INT,), frozenset({"long"}))])
def factorial(k: Kernels, number: Column) -> Column:
    """The factorial of 0 to 20; null for other numbers.

    >>> SELECT factorial(5)
    120
    """
    (data,) = arrays(k, [number])
    zero, last = k.columns.scalar(0, INTEGER), k.columns.scalar(LAST_FACTORIAL, INTEGER)
    inside = k.logic.and_(
        k.compare.compare("less_equal", zero, data), k.compare.compare("less_equal", data, last)
    )
    values = pa.array([math.factorial(n) for n in range(LAST_FACTORIAL + 1)], pa.int64())
    indices = k.logic.null_where(data, k.logic.not_(k.logic.is_true(inside)))
    (result,) = k.columns.take([k.columns.from_arrow(values, LONG)], indices)
    return Column(result, LONG)
