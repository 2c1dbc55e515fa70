"""CAST among dates, timestamps and numbers, and among intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.functions.arithmetic import BIG_DECIMAL_DIGITS
from broadhead.functions.operands import checked
from broadhead.functions.zones import MICROSECONDS, floor_divide, midnight, to_local, to_utc
from broadhead.types import DOUBLE, LONG, DecimalType, IntervalType, decimal

if TYPE_CHECKING:
    from broadhead.functions.conversion import Conversion
    from broadhead.kernels.interface import Array
    from broadhead.plan.nodes import Zone

MICROSECOND_DIGITS = 6
LEAST_LONG, GREATEST_LONG = -(2**63), 2**63 - 1


def zone_of(c: Conversion) -> Zone:
    """The time zone of a cast that needs one."""
    assert c.zone is not None, "Spark names the time zone of every cast that needs one"
    return c.zone


def date_to_local(c: Conversion, data: Array) -> Array:
    """Midnight of the date; Spark raises in every mode if it does not fit."""
    return checked(c.k, c.k.datetime.from_date(data), "DATETIME_OVERFLOW", raises=True)


def date_to_timestamp(c: Conversion, data: Array) -> Array:
    """Midnight of the date in the time zone."""
    return midnight(c.k, date_to_local(c, data), zone_of(c))


def local_to_date(c: Conversion, data: Array) -> Array:
    """The date of a timestamp without time zone."""
    return c.k.datetime.to_date(data)


def timestamp_to_date(c: Conversion, data: Array) -> Array:
    """The date in the time zone."""
    return c.k.datetime.to_date(to_local(c.k, data, zone_of(c)))


def timestamp_to_local(c: Conversion, data: Array) -> Array:
    """The local time in the time zone."""
    return to_local(c.k, data, zone_of(c))


def local_to_timestamp(c: Conversion, data: Array) -> Array:
    """The timestamp of the local time in the time zone."""
    return to_utc(c.k, data, zone_of(c))


def timestamp_to_integral(c: Conversion, data: Array) -> Array:
    """Whole seconds since the epoch, rounded down; LEGACY too gives null if they do not fit."""
    seconds = floor_divide(c.k, data, MICROSECONDS)
    if c.target == LONG:
        return seconds
    return c.settle(c.k.cast.narrow_integer_checked(seconds, c.target))


def _seconds(c: Conversion, data: Array) -> Array:
    micros = c.k.cast.widen(data, DOUBLE)
    return c.k.arithmetic.divide(micros, c.k.columns.scalar(float(MICROSECONDS), DOUBLE))


def timestamp_to_floating(c: Conversion, data: Array) -> Array:
    """Seconds since the epoch."""
    return c.k.cast.widen(_seconds(c, data), c.target)


def timestamp_to_decimal(c: Conversion, data: Array) -> Array:
    """Seconds since the epoch.

    Spark 4.0 takes the way over a double, later versions do not: where that shows, they answer.
    """
    k = c.k
    assert isinstance(c.target, DecimalType)
    digits = c.target.precision, c.target.scale
    result = k.decimal.rescale(k.decimal.from_integer(data), MICROSECOND_DIGITS, *digits)
    by_double, _ = k.decimal.from_double(_seconds(c, data), *digits)
    if not k.logic.all(k.compare.null_safe_equal(result[0], by_double)):
        raise EngineLimit("a timestamp as a decimal has more digits than a double")
    return c.settle(result, "NUMERIC_VALUE_OUT_OF_RANGE")


def timestamp_to_boolean(c: Conversion, data: Array) -> Array:
    """False for the epoch."""
    return c.k.cast.to_boolean(data)


def boolean_to_timestamp(c: Conversion, data: Array) -> Array:
    """One microsecond after the epoch for true, the epoch for false."""
    return c.k.cast.widen(data, LONG)


def integral_to_timestamp(c: Conversion, data: Array) -> Array:
    """The timestamp that many seconds after the epoch; clamped if it does not fit."""
    k = c.k
    seconds = k.cast.widen(data, LONG)
    micros, failed = k.arithmetic.multiply_checked(seconds, k.columns.scalar(MICROSECONDS, LONG))
    if failed is None:
        return micros
    negative = k.compare.compare("less", seconds, k.columns.scalar(0, LONG))
    least = k.columns.full(k.columns.scalar(LEAST_LONG, LONG), k.columns.length(seconds))
    end = k.logic.if_else(negative, least, k.columns.scalar(GREATEST_LONG, LONG))
    return k.logic.if_else(failed, end, micros)


def floating_to_timestamp(c: Conversion, data: Array) -> Array:
    """The timestamp that many seconds after the epoch, truncated to microseconds."""
    k = c.k
    doubles = k.cast.widen(data, DOUBLE)
    micros = k.arithmetic.multiply(doubles, k.columns.scalar(float(MICROSECONDS), DOUBLE))
    if c.is_checked:
        return c.settle(k.cast.float_to_integer_checked(micros, LONG), "CAST_INVALID_INPUT")
    infinity = k.columns.scalar(float("inf"), DOUBLE)
    finite = k.logic.is_true(k.compare.compare("less", k.arithmetic.abs(doubles), infinity))
    return k.logic.null_where(k.cast.float_to_integer(micros, LONG), k.logic.not_(finite))


def decimal_to_timestamp(c: Conversion, data: Array) -> Array:
    """The timestamp that many seconds after the epoch, truncated to microseconds."""
    k = c.k
    assert isinstance(c.source, DecimalType)
    scale = c.source.scale
    million = k.columns.scalar(MICROSECONDS, decimal(7, 0))
    product, failed = k.decimal.multiply(data, scale, million, 0, BIG_DECIMAL_DIGITS, scale)
    if failed is not None and k.logic.any(failed):
        raise EngineLimit(f"a decimal of more than {BIG_DECIMAL_DIGITS} digits as a timestamp")
    return k.decimal.to_integer_wrapped(product, scale)


def interval_to_interval(c: Conversion, data: Array) -> Array:
    """The interval truncated to the last field of the target, toward zero."""
    assert isinstance(c.target, IntervalType)
    if c.target.unit == 1:
        return data
    rest = c.k.arithmetic.remainder(data, c.k.columns.scalar(c.target.unit, c.target))
    return c.k.arithmetic.subtract(data, rest)
