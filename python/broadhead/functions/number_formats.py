"""format_number: numbers with commas and a fixed number of digits after the point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays, literal, nulls
from broadhead.functions.registry import INT, NUMERIC, STRING, function
from broadhead.registry import Signature
from broadhead.types import DOUBLE, INTEGER, LONG, DecimalType
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

MOST_DIGITS = 15
"""Doubles with so many digits are written as their exact value rounded."""
SCALES = tuple(range(-1, 10))
SPLIT = float(2**27 + 1)
"""Splits a double into halves whose products are exact, by Veltkamp."""


@function(
    "format_number",
    spark="FormatNumber",
    signatures=[Signature((NUMERIC, INT), STRING, literal=(1,), values={1: SCALES})],
    note="the number of digits is a literal up to 9",
)
def format_number(k: Kernels, numbers: Column, digits: Column) -> Column:
    """The text of a number with commas, rounded half even to digits after the point.

    >>> SELECT format_number(12332.123456, 4)
    12,332.1235
    """
    data, _ = arrays(k, [numbers, digits])
    count = literal(k, digits)
    if count is None or count < 0:
        return Column(nulls(k, STRING_TYPE, k.columns.length(data)), STRING_TYPE)
    if numbers.type.is_floating:
        return Column(_of_doubles(k, k.cast.widen(data, DOUBLE), count), STRING_TYPE)
    if isinstance(numbers.type, DecimalType):
        negative, amount = _magnitude(k, k.decimal.fits_long(data))
        scale = numbers.type.scale
        units = amount if scale <= count else _half_even(amount, 10 ** (scale - count))
        shown = min(scale, count)
    else:
        negative, units = _magnitude(k, k.cast.widen(data, LONG))
        shown = 0
    return Column(_text(k, negative, units, shown, count), STRING_TYPE)


def _magnitude(k: Kernels, data: Array | None) -> tuple[Array, Longs]:
    """Whether numbers are negative, and their magnitude."""
    if data is None:
        raise EngineLimit("a number does not fit in a long")
    numbers = Longs(k, data)
    if k.logic.any(k.arithmetic.least_integer(data)):
        raise EngineLimit("the least long is formatted")
    return numbers.is_less(0), Longs(k, k.arithmetic.abs(data))


def _half_even(amount: Longs, unit: int) -> Longs:
    """The quotient of numbers that are not negative, half even."""
    quotient = amount.truncated(unit)
    twice = (amount - quotient * unit) - (unit // 2)
    odd = (quotient - quotient.truncated(2) * 2).equals(1)
    k = amount.k
    up = k.logic.or_(twice.is_greater(0), k.logic.and_(twice.equals(0), odd))
    return (quotient + 1).where(up, quotient)


def _text(k: Kernels, negative: Array, units: Longs, shown: int, digits: int) -> Array:
    """The text of units of 10 ** -shown, with `digits` after the point."""
    whole = units.truncated(10**shown)
    rest = units - whole * 10**shown
    return _joined(k, negative, whole.data, (rest * 10 ** (digits - shown)).data, digits)


def _joined(k: Kernels, negative: Array, whole: Array, rest: Array, digits: int) -> Array:
    """Sign, digits in groups, and `digits` more after the point."""
    parts = [k.cast.integer_to_grouped_string(whole)]
    if k.logic.any(negative):
        rows = k.columns.length(whole)
        minus, nothing = (k.columns.scalar(text, STRING_TYPE) for text in ("-", ""))
        parts.insert(0, k.logic.if_else(negative, k.columns.full(minus, rows), nothing))
    if digits:
        with_one = (Longs(k, rest) + 10**digits).data
        ends = (k.columns.scalar(number, INTEGER) for number in (2, digits))
        parts.append(k.columns.scalar(".", STRING_TYPE))
        parts.append(k.strings.substring(k.cast.integer_to_string(with_one), *ends))
    return k.strings.concat(parts) if len(parts) > 1 else parts[0]


def _of_doubles(k: Kernels, numbers: Array, digits: int) -> Array:
    zero, infinity = (k.columns.scalar(value, DOUBLE) for value in (0.0, float("inf")))
    magnitude = k.arithmetic.abs(numbers)
    is_nan, is_infinite = k.logic.is_nan(numbers), _equal(k, magnitude, infinity)
    inverse = k.arithmetic.divide(k.columns.scalar(1.0, DOUBLE), numbers)
    negative = k.logic.is_true(k.compare.compare("less", inverse, zero))
    negative = k.logic.or_(negative, k.logic.is_true(k.compare.compare("less", numbers, zero)))
    odd = k.logic.or_(is_nan, is_infinite)
    finite = k.logic.if_else(odd, k.columns.full(zero, k.columns.length(numbers)), magnitude)
    limit = k.columns.scalar(10.0 ** (MOST_DIGITS - digits), DOUBLE)
    if k.logic.any(k.compare.compare("less", limit, finite)):
        raise EngineLimit(f"a number has more than {MOST_DIGITS} digits")
    whole, rest = _rounded(k, finite, digits)
    text = _joined(k, k.logic.and_(negative, k.logic.not_(is_nan)), whole, rest, digits)
    if not k.logic.any(odd):
        return text
    names = ((is_nan, "NaN"), (k.logic.and_(is_infinite, negative), "-∞"))
    others = k.columns.full(k.columns.scalar("∞", STRING_TYPE), k.columns.length(text))
    for mask, name in names:
        others = k.logic.if_else(mask, k.columns.scalar(name, STRING_TYPE), others)
    return k.logic.if_else(odd, others, text)


def _equal(k: Kernels, left: Array, right: Array) -> Array:
    return k.logic.is_true(k.compare.compare("equal", left, right))


def _rounded(k: Kernels, numbers: Array, digits: int) -> tuple[Array, Array]:
    """The whole part, and the fraction in units of 10 ** -digits, half even."""
    whole = k.cast.float_to_integer(numbers, LONG)
    fraction = k.arithmetic.subtract(numbers, k.cast.widen(whole, DOUBLE))
    power = k.columns.full(k.columns.scalar(10.0**digits, DOUBLE), k.columns.length(numbers))
    product = k.arithmetic.multiply(fraction, power)
    units = Longs(k, k.cast.float_to_integer(product, LONG))
    half = k.columns.scalar(0.5, DOUBLE)
    beyond = k.arithmetic.subtract(
        k.arithmetic.subtract(product, k.cast.widen(units.data, DOUBLE)), half
    )
    zero = k.columns.scalar(0.0, DOUBLE)
    up = k.logic.is_true(k.compare.compare("less", zero, beyond))
    tie = _equal(k, beyond, zero)
    if k.logic.any(tie):
        error = _product_error(k, fraction, power, product)
        above = k.logic.is_true(k.compare.compare("less", zero, error))
        number = Longs(k, whole) if digits == 0 else units
        odd = (number - number.truncated(2) * 2).equals(1)
        even_up = k.logic.and_(_equal(k, error, zero), odd)
        up = k.logic.or_(up, k.logic.and_(tie, k.logic.or_(above, even_up)))
    units = (units + 1).where(up, units)
    carried = k.logic.not_(units.is_less(10**digits))
    total = Longs(k, whole)
    return (total + 1).where(carried, total).data, (units - 10**digits).where(carried, units).data


def _product_error(k: Kernels, left: Array, right: Array, product: Array) -> Array:
    """The exact product minus the rounded one, by Dekker."""
    minus, times, plus = k.arithmetic.subtract, k.arithmetic.multiply, k.arithmetic.add
    (high, low), (high2, low2) = (_halves(k, side) for side in (left, right))
    error = minus(times(high, high2), product)
    error = plus(plus(error, times(high, low2)), times(low, high2))
    return plus(error, times(low, low2))


def _halves(k: Kernels, numbers: Array) -> tuple[Array, Array]:
    scaled = k.arithmetic.multiply(numbers, k.columns.scalar(SPLIT, DOUBLE))
    high = k.arithmetic.subtract(scaled, k.arithmetic.subtract(scaled, numbers))
    return high, k.arithmetic.subtract(numbers, high)
