"""CAST from string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.functions.cast_datetime import zone_of
from broadhead.functions.zones import to_utc
from broadhead.types import DecimalType

if TYPE_CHECKING:
    from broadhead.functions.conversion import Conversion
    from broadhead.kernels.interface import Array

MALFORMED = "CAST_INVALID_INPUT"


def string_to_boolean(c: Conversion, data: Array) -> Array:
    """The boolean that a word stands for."""
    return c.settle(c.k.parse.booleans(data), MALFORMED)


def string_to_integral(c: Conversion, data: Array) -> Array:
    """Integers; LEGACY cuts off a fraction."""
    fraction = not c.is_checked
    return c.settle(c.k.parse.integers(data, c.target, fraction=fraction), MALFORMED)


def string_to_floating(c: Conversion, data: Array) -> Array:
    """The nearest float or double."""
    return c.settle(c.k.parse.floats(data, c.target), MALFORMED)


def string_to_decimal(c: Conversion, data: Array) -> Array:
    """Decimals, rounded to the scale of the target."""
    assert isinstance(c.target, DecimalType)
    result = c.k.parse.decimals(data, c.target.precision, c.target.scale)
    return c.settle(result, MALFORMED)


def string_to_date(c: Conversion, data: Array) -> Array:
    """The date; a time after it is not read."""
    return c.settle(c.k.parse.dates(data), MALFORMED)


def string_to_timestamp(c: Conversion, data: Array) -> Array:
    """The timestamp, in the time zone of the session if the text names no offset."""
    k = c.k
    micros, zoned, failed = k.parse.timestamps(data)
    utc = to_utc(k, micros, zone_of(c))
    if zoned is not None:
        utc = k.logic.if_else(zoned, micros, utc)
    return c.settle((utc, failed), MALFORMED)


def string_to_local(c: Conversion, data: Array) -> Array:
    """The local time, whatever offset the text names."""
    return c.settle(c.k.parse.local_timestamps(data), MALFORMED)
