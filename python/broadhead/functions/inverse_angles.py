"""Inverse trigonometric functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.exponentials import OF_TWO_DOUBLES
from broadhead.functions.mathematics import OF_DOUBLE
from broadhead.functions.operands import arrays
from broadhead.functions.registry import function
from broadhead.types import DOUBLE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels


@function("asin", spark="Asin", signatures=OF_DOUBLE, level="last digits")
def asin(k: Kernels, number: Column) -> Column:
    """The inverse sine, NaN beyond 1.

    >>> SELECT asin(0D)
    0.0
    """
    return Column(k.elementary.asin(number.data), DOUBLE)


@function("acos", spark="Acos", signatures=OF_DOUBLE, level="last digits")
def acos(k: Kernels, number: Column) -> Column:
    """The inverse cosine, NaN beyond 1.

    >>> SELECT acos(1D)
    0.0
    """
    return Column(k.elementary.acos(number.data), DOUBLE)


@function("atan", spark="Atan", signatures=OF_DOUBLE, level="last digits")
def atan(k: Kernels, number: Column) -> Column:
    """The inverse tangent.

    >>> SELECT atan(1D)
    0.7853981633974483
    """
    return Column(k.elementary.atan(number.data), DOUBLE)


@function("atan2", spark="Atan2", signatures=OF_TWO_DOUBLES, level="last digits")
def atan2(k: Kernels, y: Column, x: Column) -> Column:
    """The angle of the point (x, y); -0.0 is 0.0 in both.

    >>> SELECT atan2(-0D, -1D)
    3.141592653589793
    """
    zero = k.columns.scalar(0.0, DOUBLE)
    added = [k.arithmetic.add(data, zero) for data in arrays(k, [y, x])]
    return Column(k.elementary.atan2(*added), DOUBLE)
