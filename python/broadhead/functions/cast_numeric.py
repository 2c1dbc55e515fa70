"""CAST among booleans, integers, floats and decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.types import DOUBLE, FLOAT, INTEGRAL_BITS, LONG, MAX_LONG_DIGITS, DecimalType

if TYPE_CHECKING:
    from broadhead.functions.conversion import Conversion
    from broadhead.kernels.interface import Array, Checked

LONG_END = 2.0**63
EXACT_DIGITS = 7
"""Decimals of so many digits have a double that determines the nearest float."""

SHORT_DIGITS = 15
"""Whole numbers of so many digits are below EXACT_END."""
EXACT_END = 2.0**53
"""From here on, Java before 19 writes digits of doubles that do not tell them apart."""
EXACT_POWER_DIGITS, LAST_EXACT_POWER = 22, 2.0**-23
"""It does so for some smaller powers of two, with more digits after the point than these."""
SMALLEST_VISIBLE = 1e-40
"""Below half of a decimal's last digit."""


def number_to_boolean(c: Conversion, data: Array) -> Array:
    """True where not zero."""
    return c.k.cast.to_boolean(data)


def decimal_to_boolean(c: Conversion, data: Array) -> Array:
    """True where not zero."""
    return c.k.logic.not_(c.k.decimal.is_zero(data))


def to_wider(c: Conversion, data: Array) -> Array:
    """Booleans to numbers, and integers to floats."""
    return c.k.cast.widen(data, c.target)


def integral_to_integral(c: Conversion, data: Array) -> Array:
    """Integers of another width."""
    if INTEGRAL_BITS[c.target.name] >= INTEGRAL_BITS[c.source.name]:
        return c.k.cast.widen(data, c.target)
    if not c.is_checked:
        return c.k.cast.narrow_integer(data, c.target)
    return c.settle(c.k.cast.narrow_integer_checked(data, c.target))


def floating_to_integral(c: Conversion, data: Array) -> Array:
    """Truncated integers; Spark converts 2^63 to the greatest long."""
    k = c.k
    if not c.is_checked:
        return k.cast.float_to_integer(data, c.target)
    values, failed = k.cast.float_to_integer_checked(data, c.target)
    if failed is not None and c.target == LONG:
        end = k.compare.compare("equal", data, k.columns.scalar(LONG_END, c.source))
        reached = k.logic.is_true(end)
        greatest = k.columns.scalar(2**63 - 1, LONG)
        values = k.logic.if_else(reached, greatest, values)
        failed = k.logic.and_(failed, k.logic.not_(reached))
    return c.settle((values, failed))


def integral_to_decimal(c: Conversion, data: Array) -> Array:
    """Exact decimals."""
    assert isinstance(c.target, DecimalType)
    unscaled = c.k.decimal.from_integer(data)
    result = c.k.decimal.rescale(unscaled, 0, c.target.precision, c.target.scale)
    return c.settle(result, "NUMERIC_VALUE_OUT_OF_RANGE")


def boolean_to_decimal(c: Conversion, data: Array) -> Array:
    """1 for true, 0 for false."""
    return integral_to_decimal(c, c.k.cast.widen(data, LONG))


def floating_to_decimal(c: Conversion, data: Array) -> Array:
    """Decimals of the shortest text of a double; null for NaN and the infinities."""
    k = c.k
    assert isinstance(c.target, DecimalType)
    doubles = k.cast.widen(data, DOUBLE)
    values, failed = k.decimal.from_double(doubles, c.target.precision, c.target.scale)
    values, failed = _with_digits_of_java(c, doubles, values, failed)
    if failed is not None:
        infinity = k.columns.scalar(float("inf"), DOUBLE)
        finite = k.compare.compare("less", k.arithmetic.abs(doubles), infinity)
        failed = k.logic.and_(failed, k.logic.is_true(finite))
    return c.settle((values, failed), "NUMERIC_VALUE_OUT_OF_RANGE")


def _with_digits_of_java(
    c: Conversion, doubles: Array, values: Array, failed: Array | None
) -> Checked:
    """The decimals of texts with more digits than tell the doubles apart, in Java before 19."""
    k = c.k
    assert isinstance(c.target, DecimalType)
    precision, scale = c.target.precision, c.target.scale
    if c.shortest_digits or (precision - scale <= SHORT_DIGITS and scale <= EXACT_POWER_DIGITS):
        return values, failed
    magnitudes = k.arithmetic.abs(doubles)

    def between(low: float, high: float) -> Array:
        least, end = k.columns.scalar(low, DOUBLE), k.columns.scalar(high, DOUBLE)
        above = k.compare.compare("less_equal", least, magnitudes)
        return k.logic.is_true(k.logic.and_(above, k.compare.compare("less", magnitudes, end)))

    large = between(EXACT_END, 10.0 ** (precision - scale))
    mask = k.logic.or_(large, between(SMALLEST_VISIBLE, LAST_EXACT_POWER))
    if not k.logic.any(mask):
        return values, failed
    (some,) = k.columns.filter([doubles], mask)
    texts = k.cast.float_to_string(some, shortest=False)
    others, _ = k.parse.decimals(texts, precision, scale)
    values = k.logic.if_else(mask, k.columns.scatter(others, mask), values)
    return values, k.logic.and_(k.logic.is_valid(doubles), k.logic.is_null(values))


def decimal_to_integral(c: Conversion, data: Array) -> Array:
    """Truncated integers."""
    k = c.k
    assert isinstance(c.source, DecimalType)
    if not c.is_checked:
        wrapped = k.decimal.to_integer_wrapped(data, c.source.scale)
        return wrapped if c.target == LONG else k.cast.narrow_integer(wrapped, c.target)
    if c.target != LONG and c.source.precision > MAX_LONG_DIGITS:
        # Decimal.roundToInt uses a double if the digits are not in a long
        doubles = k.decimal.to_double(data, c.source.scale)
        return c.settle(k.cast.float_to_integer_checked(doubles, c.target))
    longs = c.settle(k.decimal.to_integer(data, c.source.scale))
    if c.target == LONG:
        return longs
    return c.settle(k.cast.narrow_integer_checked(longs, c.target))


def decimal_to_decimal(c: Conversion, data: Array) -> Array:
    """The value rounded to the scale of the target."""
    assert isinstance(c.source, DecimalType)
    assert isinstance(c.target, DecimalType)
    result = c.k.decimal.rescale(data, c.source.scale, c.target.precision, c.target.scale)
    return c.settle(result, "NUMERIC_VALUE_OUT_OF_RANGE")


def decimal_to_floating(c: Conversion, data: Array) -> Array:
    """The nearest double or float."""
    k = c.k
    assert isinstance(c.source, DecimalType)
    doubles = k.decimal.to_double(data, c.source.scale)
    if c.target == DOUBLE:
        return doubles
    floats = k.cast.widen(doubles, FLOAT)
    if c.source.precision > EXACT_DIGITS:
        _refuse_ties(c, doubles, floats)
    return floats


def _refuse_ties(c: Conversion, doubles: Array, floats: Array) -> None:
    """Raises if a double may round to another float than the decimal."""
    k = c.k
    for factor in (1 - 2.0**-52, 1 + 2.0**-52):
        moved = k.arithmetic.multiply(doubles, k.columns.scalar(factor, DOUBLE))
        same = k.compare.null_safe_equal(k.cast.widen(moved, FLOAT), floats)
        if not k.logic.all(same):
            raise EngineLimit("a decimal lies in the middle between two floats")
