"""Rounding of decimals to a number of digits, in any of Spark's modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from broadhead.errors import EngineLimit
from broadhead.functions.operands import checked
from broadhead.types import MAX_PRECISION, DecimalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Checked, Kernels

Mode = Literal["half_up", "half_even", "ceiling", "floor"]
ONE_DIGIT = DecimalType("decimal", 1, 0)
OUT_OF_RANGE = "NUMERIC_VALUE_OUT_OF_RANGE"


def rounded(
    k: Kernels, data: Array, own_scale: int, digits: int, returns: DecimalType, mode: Mode
) -> Checked:
    """Unscaled numbers as unscaled data of `returns`, with `digits` after the point at most.

    Negative `digits` are those before the point that become zero.
    """
    dropped = own_scale - digits
    if dropped <= 0:
        return k.decimal.rescale(data, own_scale, returns.precision, returns.scale)
    if dropped > MAX_PRECISION and mode in {"half_up", "half_even"}:
        zeros = k.columns.full(k.columns.scalar(0, ONE_DIGIT), k.columns.length(data))
        return k.logic.null_where(zeros, k.logic.is_null(data)), None
    units = _units(k, data, dropped, mode)
    return k.decimal.rescale(units, 0, returns.precision, max(-digits, 0))


def _units(k: Kernels, data: Array, dropped: int, mode: Mode) -> Array:
    """The numbers without their last digits."""
    if dropped > MAX_PRECISION:
        raise EngineLimit(f"{dropped} digits of a decimal are rounded away")
    nearest = _fitting(k, k.decimal.rescale(data, dropped, MAX_PRECISION, 0))
    if mode == "half_up":
        return nearest
    back = _fitting(k, k.decimal.rescale(nearest, 0, MAX_PRECISION, dropped))
    if mode == "half_even":
        return _to_even(k, nearest, _is_tie(k, data, back, dropped))
    sides = (back, data) if mode == "ceiling" else (data, back)
    short = k.logic.is_true(k.compare.compare("less", *sides))
    return k.logic.if_else(short, _plus(k, nearest, 1 if mode == "ceiling" else -1), nearest)


def _fitting(k: Kernels, result: Checked) -> Array:
    """The values; Spark decides about rows with more digits than decimals have."""
    return checked(k, result, OUT_OF_RANGE, raises=True)


def _is_tie(k: Kernels, data: Array, back: Array, dropped: int) -> Array:
    """Whether numbers lie in the middle between two results."""
    distance = _fitting(k, k.decimal.subtract(back, 0, data, 0, MAX_PRECISION, 0))
    half = k.columns.scalar(5 * 10 ** (dropped - 1), DecimalType("decimal", dropped, 0))
    return k.logic.is_true(k.compare.compare("equal", k.decimal.abs(distance), half))


def _to_even(k: Kernels, nearest: Array, tie: Array) -> Array:
    """The numbers, which were rounded away from zero, moved back to even ones at ties."""
    if not k.logic.any(tie):
        return nearest
    two, zero = (k.columns.scalar(digit, ONE_DIGIT) for digit in (2, 0))
    rest = _fitting(k, k.decimal.remainder(nearest, 0, two, 0, MAX_PRECISION, 0))
    moves = k.logic.and_(tie, k.logic.not_(k.logic.is_true(k.decimal.is_zero(rest))))
    negative = k.logic.is_true(k.compare.compare("less", nearest, zero))
    back = k.logic.if_else(negative, _plus(k, nearest, 1), _plus(k, nearest, -1))
    return k.logic.if_else(moves, back, nearest)


def _plus(k: Kernels, numbers: Array, step: int) -> Array:
    one = k.columns.scalar(step, ONE_DIGIT)
    return _fitting(k, k.decimal.add(numbers, 0, one, 0, MAX_PRECISION, 0))
