"""Powers, roots and hyperbolic functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.mathematics import DOUBLE_NAME, OF_DOUBLE
from broadhead.functions.registry import function
from broadhead.registry import Signature
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

OF_TWO_DOUBLES = (Signature((DOUBLE_NAME, DOUBLE_NAME), DOUBLE_NAME),)


@function("exp", spark="Exp", signatures=OF_DOUBLE, level="last digits")
def exp(k: Kernels, number: Column) -> Column:
    """E to the power of the number.

    >>> SELECT exp(1D)
    2.7182818284590455
    """
    return Column(k.elementary.exp(number.data), DOUBLE)


@function("expm1", spark="Expm1", signatures=OF_DOUBLE, level="last digits")
def expm1(k: Kernels, number: Column) -> Column:
    """E to the power of the number, minus 1.

    >>> SELECT expm1(0D)
    0.0
    """
    return Column(k.elementary.expm1(number.data), DOUBLE)


@function("pow", spark="Pow", signatures=OF_TWO_DOUBLES, level="last digits")
def power(k: Kernels, base: Column, exponent: Column) -> Column:
    """The base to the power of the exponent.

    >>> SELECT pow(2D, 0.5D)
    1.4142135623730951
    """
    return Column(k.elementary.pow(base.data, exponent.data), DOUBLE)


@function("cbrt", spark="Cbrt", signatures=OF_DOUBLE, level="last digits")
def cbrt(k: Kernels, number: Column) -> Column:
    """The cube root.

    >>> SELECT cbrt(27D)
    3.0
    """
    return Column(k.elementary.cbrt(number.data), DOUBLE)


@function("hypot", spark="Hypot", signatures=OF_TWO_DOUBLES, level="last digits")
def hypot(k: Kernels, left: Column, right: Column) -> Column:
    """The square root of the sum of both squares.

    >>> SELECT hypot(3D, 4D)
    5.0
    """
    return Column(k.elementary.hypot(left.data, right.data), DOUBLE)


@function("sinh", spark="Sinh", signatures=OF_DOUBLE, level="last digits")
def sinh(k: Kernels, number: Column) -> Column:
    """The hyperbolic sine.

    >>> SELECT sinh(0D)
    0.0
    """
    return Column(k.elementary.sinh(number.data), DOUBLE)


@function("cosh", spark="Cosh", signatures=OF_DOUBLE, level="last digits")
def cosh(k: Kernels, number: Column) -> Column:
    """The hyperbolic cosine.

    >>> SELECT cosh(0D)
    1.0
    """
    return Column(k.elementary.cosh(number.data), DOUBLE)


@function("tanh", spark="Tanh", signatures=OF_DOUBLE, level="last digits")
def tanh(k: Kernels, number: Column) -> Column:
    """The hyperbolic tangent.

    >>> SELECT tanh(0D)
    0.0
    """
    return Column(k.elementary.tanh(number.data), DOUBLE)
