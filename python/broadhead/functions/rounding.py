"""Rounding of numbers to whole ones: ceil, floor, rint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.arithmetic import scaled
from broadhead.functions.decimal_rounding import OUT_OF_RANGE, rounded
from broadhead.functions.operands import arrays, checked
from broadhead.functions.registry import DECIMAL, function
from broadhead.registry import Signature
from broadhead.types import DOUBLE, LONG, DecimalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

DOUBLE_NAME = frozenset({"double"})
LONG_NAME = frozenset({"long"})
WHOLE = 2.0**52
"""From here on, all doubles are whole numbers."""

TO_WHOLE = (
    Signature((DOUBLE_NAME,), LONG_NAME),
    Signature((LONG_NAME,), LONG_NAME),
    Signature((DECIMAL,), DECIMAL),
)


@function("ceil", spark="Ceil", signatures=TO_WHOLE, raises=True)
def ceil(k: Kernels, number: Column, *, returns: DataType) -> Column:
    """The least whole number that is not less.

    >>> SELECT ceil(-0.1D)
    0
    """
    return Column(_to_whole(k, number, returns, step=1), returns)


@function("floor", spark="Floor", signatures=TO_WHOLE, raises=True)
def floor(k: Kernels, number: Column, *, returns: DataType) -> Column:
    """The greatest whole number that is not greater.

    >>> SELECT floor(-0.1D)
    -1
    """
    return Column(_to_whole(k, number, returns, step=-1), returns)


def _to_whole(k: Kernels, number: Column, returns: DataType, *, step: int) -> Array:
    if isinstance(returns, DecimalType):
        return _decimal_to_whole(k, number, returns, step)
    (data,) = arrays(k, [number])
    if number.type == LONG:
        return data
    whole = k.cast.float_to_integer(data, LONG)
    back = k.cast.widen(whole, DOUBLE)
    sides = (back, data) if step > 0 else (data, back)
    short = k.logic.and_(k.compare.compare("less", *sides), _has_fraction(k, data))
    moved = k.arithmetic.add(whole, k.columns.scalar(step, LONG))
    return k.logic.if_else(short, moved, whole)


def _has_fraction(k: Kernels, data: Array) -> Array:
    """Whether doubles may have one: neither NaN nor too large."""
    return k.compare.compare("less", k.arithmetic.abs(data), k.columns.scalar(WHOLE, DOUBLE))


def _decimal_to_whole(k: Kernels, number: Column, returns: DecimalType, step: int) -> Array:
    unscaled, scale = scaled(number)
    if scale == 0:
        return arrays(k, [number])[0]
    result = rounded(k, unscaled, scale, 0, returns, "ceiling" if step > 0 else "floor")
    return checked(k, result, OUT_OF_RANGE, raises=True)


@function("rint", spark="Rint", signatures=[Signature((DOUBLE_NAME,), DOUBLE_NAME)])
def rint(k: Kernels, number: Column) -> Column:
    """The nearest whole number as a double, the even one of two.

    >>> SELECT rint(2.5D)
    2.0
    """
    (data,) = arrays(k, [number])
    zero, whole = k.columns.scalar(0.0, DOUBLE), k.columns.scalar(WHOLE, DOUBLE)
    # adding 2**52 rounds the fraction away
    rounded = k.arithmetic.subtract(k.arithmetic.add(k.arithmetic.abs(data), whole), whole)
    negative = k.compare.compare("less", data, zero)
    signed = k.logic.if_else(negative, k.arithmetic.negate(rounded), rounded)
    changes = k.logic.and_(
        _has_fraction(k, data), k.logic.not_(k.compare.compare("equal", data, zero))
    )
    return Column(k.logic.if_else(changes, signed, data), DOUBLE)
