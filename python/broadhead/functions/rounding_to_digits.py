"""Rounding of numbers to digits: round, bround, and ceil and floor with a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.arithmetic import scaled
from broadhead.functions.decimal_rounding import OUT_OF_RANGE, rounded
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays, checked, literal, require
from broadhead.functions.registry import DECIMAL, FLOATING, INT, INTEGRAL, function
from broadhead.registry import Signature
from broadhead.types import DOUBLE, FLOAT, INTEGRAL_BITS, LONG, DecimalType

if TYPE_CHECKING:
    from broadhead.functions.decimal_rounding import Mode
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

SCALES = tuple(range(-18, 10))
"""Of more digits, most doubles are rounded one by one, from their texts."""
KEPT_DIGITS = 18
"""A double has fewer decimal digits than these, so rounding to as many changes nothing."""
EXACT_END = 2.0**53
"""From here on, the digits of a double's text are not those of its value."""
ROUNDED = tuple(
    Signature((frozenset({kind}), INT), frozenset({kind}), literal=(1,), values={1: SCALES})
    for kind in sorted(INTEGRAL | FLOATING | DECIMAL)
)
TO_SCALE = (Signature((DECIMAL, INT), DECIMAL, literal=(1,), values={1: SCALES}),)
NOTE = "the scale is a literal from -18 to 9; a GPU leaves floats and doubles to the host"


@function(
    "round",
    spark="Round",
    signatures=ROUNDED,
    fields={"ansiEnabled": (True, False)},
    raises=True,
    note=NOTE,
)
def round_(
    k: Kernels, number: Column, scale: Column, *, returns: DataType, ansi_enabled: bool
) -> Column:
    """The number with so many digits after the point, rounded away from zero at a tie.

    >>> SELECT round(1.005D, 2)
    1.01
    """
    return Column(_to_digits(k, number, scale, returns, "half_up", raises=ansi_enabled), returns)


@function(
    "bround",
    spark="BRound",
    signatures=ROUNDED,
    fields={"ansiEnabled": (True, False)},
    raises=True,
    note=NOTE,
)
def bround(
    k: Kernels, number: Column, scale: Column, *, returns: DataType, ansi_enabled: bool
) -> Column:
    """The number with so many digits after the point, rounded to the even one at a tie.

    >>> SELECT bround(2.5D, 0)
    2.0
    """
    return Column(_to_digits(k, number, scale, returns, "half_even", raises=ansi_enabled), returns)


@function("ceil", spark="RoundCeil", signatures=TO_SCALE, raises=True, note="with a scale")
def ceil_to(k: Kernels, number: Column, scale: Column, *, returns: DataType) -> Column:
    """The least number with so many digits after the point that is not less.

    >>> SELECT ceil(3.1411, 3)
    3.142
    """
    return Column(_to_digits(k, number, scale, returns, "ceiling", raises=True), returns)


@function("floor", spark="RoundFloor", signatures=TO_SCALE, raises=True, note="with a scale")
def floor_to(k: Kernels, number: Column, scale: Column, *, returns: DataType) -> Column:
    """The greatest number with so many digits after the point that is not greater.

    >>> SELECT floor(-3.1411, 3)
    -3.142
    """
    return Column(_to_digits(k, number, scale, returns, "floor", raises=True), returns)


def _to_digits(
    k: Kernels, number: Column, scale: Column, returns: DataType, mode: Mode, *, raises: bool
) -> Array:
    data, _ = arrays(k, [number, scale])
    digits = literal(k, scale)
    if digits is None:
        return k.columns.full(k.columns.scalar(None, returns), k.columns.length(data))
    if isinstance(returns, DecimalType):
        result = rounded(k, data, scaled(number)[1], digits, returns, mode)
        return checked(k, result, OUT_OF_RANGE, raises=raises)
    half_even = mode == "half_even"
    if number.type.is_integral:
        if digits >= 0:
            return data
        return _of_integers(k, data, number.type, -digits, half_even=half_even, raises=raises)
    doubles = k.cast.widen(data, DOUBLE)
    if digits >= 0:
        found = _of_doubles(k, doubles, digits, half_even=half_even)
    else:
        found = _of_whole_doubles(k, doubles, -digits, half_even=half_even)
    return found if returns == DOUBLE else _floats(k, found)


def _of_integers(
    k: Kernels, data: Array, kind: DataType, zeros: int, *, half_even: bool, raises: bool
) -> Array:
    """Integers with so many zeros at the end; those that do not fit raise, or wrap around."""
    numbers, unit = Longs(k, k.cast.widen(data, LONG)), 10**zeros
    units = _nearest(numbers, unit, half_even=half_even)
    limit = 2 ** (INTEGRAL_BITS[kind.name] - 1)
    if raises:
        fails = k.logic.or_(units.is_greater((limit - 1) // unit), units.is_less(-(limit // unit)))
        require(k, fails, "ARITHMETIC_OVERFLOW")
    found = (units * unit).data
    return found if kind == LONG else k.cast.narrow_integer(found, kind)


def _nearest(numbers: Longs, unit: int, *, half_even: bool, more: Array | None = None) -> Longs:
    """The quotients, rounded; `more` are the numbers with a fraction besides."""
    k = numbers.k
    quotients = numbers.truncated(unit)
    rest = Longs(k, k.arithmetic.abs((numbers - quotients * unit).data)) * 2
    tie = rest.equals(unit)
    if half_even:
        odd = k.logic.not_((quotients - quotients.truncated(2) * 2).equals(0))
        tie = k.logic.and_(tie, odd if more is None else k.logic.or_(odd, more))
    up = k.logic.or_(rest.is_greater(unit), tie)
    away = (quotients - 1).where(numbers.is_less(0), quotients + 1)
    return away.where(up, quotients)


def _of_doubles(k: Kernels, data: Array, digits: int, *, half_even: bool) -> Array:
    """Doubles rounded as their decimal texts; those with too few digits stay."""
    unscaled, failed = k.decimal.from_double(data, KEPT_DIGITS, digits)
    if half_even:
        unscaled = _even_at_ties(k, data, Longs(k, unscaled), digits)
    found = k.decimal.to_double(unscaled, digits)
    return found if failed is None else k.logic.if_else(failed, data, found)


def _even_at_ties(k: Kernels, data: Array, nearest: Longs, digits: int) -> Array:
    """The rounded numbers, or the even ones of texts that end in a 5 after these digits.

    A text has no digits after that one if the number is read from these alone.
    """
    unscaled, _ = k.decimal.from_double(data, KEPT_DIGITS, digits + 1)
    again = k.decimal.to_double(unscaled, digits + 1)
    finer = Longs(k, unscaled)
    short = finer.truncated(10)
    last = Longs(k, k.arithmetic.abs((finer - short * 10).data))
    even = (short - short.truncated(2) * 2).equals(0)
    is_text = k.logic.is_true(k.compare.compare("equal", again, data))
    down = k.logic.and_(k.logic.and_(last.equals(5), is_text), even)
    return short.where(down, nearest).data


def _of_whole_doubles(k: Kernels, data: Array, zeros: int, *, half_even: bool) -> Array:
    """Doubles with so many zeros before the point."""
    magnitude = k.arithmetic.abs(data)
    infinity, end = (k.columns.scalar(value, DOUBLE) for value in (float("inf"), EXACT_END))
    finite = k.logic.is_true(k.compare.compare("less", magnitude, infinity))
    large = k.logic.not_(k.logic.is_true(k.compare.compare("less", magnitude, end)))
    if k.logic.any(k.logic.and_(large, finite)):
        raise EngineLimit("a double of more than 15 digits is rounded before the point")
    whole = k.cast.float_to_integer(data, LONG)
    fraction = k.compare.compare("equal", k.cast.widen(whole, DOUBLE), data)
    more = k.logic.not_(k.logic.is_true(fraction))
    units = _nearest(Longs(k, whole), 10**zeros, half_even=half_even, more=more)
    return k.logic.if_else(finite, k.cast.widen((units * 10**zeros).data, DOUBLE), data)


def _floats(k: Kernels, doubles: Array) -> Array:
    """The nearest floats of decimals; raises if a double next to one has another."""
    floats = k.cast.widen(doubles, FLOAT)
    for factor in (1 - 2.0**-52, 1 + 2.0**-52):
        moved = k.arithmetic.multiply(doubles, k.columns.scalar(factor, DOUBLE))
        if not k.logic.all(k.compare.null_safe_equal(k.cast.widen(moved, FLOAT), floats)):
            raise EngineLimit("a decimal lies in the middle between two floats")
    return floats
