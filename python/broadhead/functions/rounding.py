"""Rounding of numbers: ceil, floor, rint, round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.arithmetic import scaled
from broadhead.functions.operands import arrays, checked, literal
from broadhead.functions.registry import DECIMAL, INT, INTEGRAL, Signature, function
from broadhead.types import DOUBLE, LONG, MAX_PRECISION, DecimalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

DOUBLE_NAME = frozenset({"double"})
LONG_NAME = frozenset({"long"})
WHOLE = 2.0**52
"""From here on, all doubles are whole numbers."""
OUT_OF_RANGE = "NUMERIC_VALUE_OUT_OF_RANGE"
SCALES = tuple(range(10))
"""Of more digits, most doubles are rounded one by one, from their texts."""
KEPT_DIGITS = 18
"""A double has fewer decimal digits than these, so rounding to as many changes nothing."""

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
    digits = returns.precision
    rounded = checked(k, k.decimal.rescale(unscaled, scale, digits, 0), OUT_OF_RANGE, raises=True)
    back = k.decimal.rescale(rounded, 0, MAX_PRECISION, scale)
    whole = checked(k, back, OUT_OF_RANGE, raises=True)
    sides = (whole, unscaled) if step > 0 else (unscaled, whole)
    one = k.columns.scalar(step, DecimalType("decimal", 1, 0))
    moved = checked(k, k.decimal.add(rounded, 0, one, 0, digits, 0), OUT_OF_RANGE, raises=True)
    return k.logic.if_else(k.compare.compare("less", *sides), moved, rounded)


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


@function(
    "round",
    spark="Round",
    signatures=[
        Signature((kind, INT), kind, literal=(1,), values={1: SCALES})
        for kind in (DOUBLE_NAME, INTEGRAL, DECIMAL)
    ],
    fields={"ansiEnabled": (True, False)},
    raises=True,
    note="to 0 to 9 digits after the point; a GPU leaves doubles to the host",
)
def round_(
    k: Kernels, number: Column, scale: Column, *, returns: DataType, ansi_enabled: bool
) -> Column:
    """The number with so many digits after the point, rounded away from zero at a tie.

    >>> SELECT round(1.005D, 2)
    1.01
    """
    if isinstance(returns, DecimalType):
        unscaled, own = scaled(number)
        result = k.decimal.rescale(unscaled, own, returns.precision, returns.scale)
        return Column(checked(k, result, OUT_OF_RANGE, raises=ansi_enabled), returns)
    (data,) = arrays(k, [number])
    digits = literal(k, scale)
    if digits is None or number.type.is_integral:
        return Column(data, returns)
    unscaled, failed = k.decimal.from_double(data, KEPT_DIGITS, digits)
    rounded = k.decimal.to_double(unscaled, digits)
    return Column(rounded if failed is None else k.logic.if_else(failed, data, rounded), returns)
