"""Elementary functions of doubles.

Computed on the host: the last digits of the GPU's functions are not those of Java.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.kernels.arrow import elementary as on_arrow
from broadhead.kernels.cudf.host import on_host

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column, Data


def exp(data: Column) -> Column:
    """E to the power of the number."""
    return on_host(on_arrow.exp, data)


def expm1(data: Column) -> Column:
    """E to the power of the number, minus 1."""
    return on_host(on_arrow.expm1, data)


def log(data: Column) -> Column:
    """Natural logarithm, -Infinity of 0."""
    return on_host(on_arrow.log, data)


def log10(data: Column) -> Column:
    """Logarithm to the base 10, -Infinity of 0."""
    return on_host(on_arrow.log10, data)


def log1p(data: Column) -> Column:
    """Natural logarithm of 1 plus the number, -Infinity of -1."""
    return on_host(on_arrow.log1p, data)


def pow(base: Data, exponent: Data) -> Column:
    """The base to the power of the exponent, NaN of 1 and an infinity."""
    return on_host(on_arrow.pow, base, exponent)


def cbrt(data: Column) -> Column:
    """Cube root."""
    return on_host(on_arrow.cbrt, data)


def hypot(left: Data, right: Data) -> Column:
    """Square root of the sum of both squares."""
    return on_host(on_arrow.hypot, left, right)


def sinh(data: Column) -> Column:
    """Hyperbolic sine."""
    return on_host(on_arrow.sinh, data)


def cosh(data: Column) -> Column:
    """Hyperbolic cosine."""
    return on_host(on_arrow.cosh, data)


def tanh(data: Column) -> Column:
    """Hyperbolic tangent."""
    return on_host(on_arrow.tanh, data)


def asin(data: Column) -> Column:
    """Inverse sine."""
    return on_host(on_arrow.asin, data)


def acos(data: Column) -> Column:
    """Inverse cosine."""
    return on_host(on_arrow.acos, data)


def atan(data: Column) -> Column:
    """Inverse tangent."""
    return on_host(on_arrow.atan, data)


def atan2(y: Data, x: Data) -> Column:
    """The angle of the point (x, y)."""
    return on_host(on_arrow.atan2, y, x)
