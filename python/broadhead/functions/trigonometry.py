"""Trigonometric functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.mathematics import OF_DOUBLE
from broadhead.functions.registry import function
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels


@function("sin", spark="Sin", signatures=OF_DOUBLE, level="last digits")
def sin(k: Kernels, number: Column) -> Column:
    """The sine of an angle in radians, NaN of an infinity.

    >>> SELECT sin(0D)
    0.0
    """
    return Column(k.elementary.sin(number.data), DOUBLE)


@function("cos", spark="Cos", signatures=OF_DOUBLE, level="last digits")
def cos(k: Kernels, number: Column) -> Column:
    """The cosine of an angle in radians, NaN of an infinity.

    >>> SELECT cos(0D)
    1.0
    """
    return Column(k.elementary.cos(number.data), DOUBLE)


@function("tan", spark="Tan", signatures=OF_DOUBLE, level="last digits")
def tan(k: Kernels, number: Column) -> Column:
    """The tangent of an angle in radians, NaN of an infinity.

    >>> SELECT tan(0D)
    0.0
    """
    return Column(k.elementary.tan(number.data), DOUBLE)


@function("cot", spark="Cot", signatures=OF_DOUBLE, level="last digits")
def cot(k: Kernels, number: Column) -> Column:
    """1 divided by the tangent, Infinity of 0.

    >>> SELECT cot(0D)
    Infinity
    """
    return Column(_inverse(k, k.elementary.tan(number.data)), DOUBLE)


@function("sec", spark="Sec", signatures=OF_DOUBLE, level="last digits")
def sec(k: Kernels, number: Column) -> Column:
    """1 divided by the cosine.

    >>> SELECT sec(0D)
    1.0
    """
    return Column(_inverse(k, k.elementary.cos(number.data)), DOUBLE)


@function("csc", spark="Csc", signatures=OF_DOUBLE, level="last digits")
def csc(k: Kernels, number: Column) -> Column:
    """1 divided by the sine, Infinity of 0.

    >>> SELECT csc(0D)
    Infinity
    """
    return Column(_inverse(k, k.elementary.sin(number.data)), DOUBLE)


def _inverse(k: Kernels, data: Array) -> Array:
    return k.arithmetic.divide(k.columns.scalar(1.0, DOUBLE), data)
