"""CAST to string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.functions.cast_datetime import timestamp_to_local
from broadhead.types import DecimalType

if TYPE_CHECKING:
    from broadhead.functions.conversion import Conversion
    from broadhead.kernels.interface import Array


def binary_to_string(c: Conversion, data: Array) -> Array:
    """The bytes as a string, which is not checked to be UTF-8."""
    return c.k.cast.reinterpret(data, c.target)


def boolean_to_string(c: Conversion, data: Array) -> Array:
    """`true` or `false`."""
    return c.k.cast.boolean_to_string(data)


def integral_to_string(c: Conversion, data: Array) -> Array:
    """Decimal digits."""
    return c.k.cast.integer_to_string(data)


def floating_to_string(c: Conversion, data: Array) -> Array:
    """The text of Java's Double.toString and Float.toString, whose digits depend on its version."""
    return c.k.cast.float_to_string(data, shortest=c.shortest_digits)


def decimal_to_string(c: Conversion, data: Array) -> Array:
    """Decimal digits; outside ANSI an exponent for tiny values."""
    assert isinstance(c.source, DecimalType)
    return c.k.decimal.to_string(data, c.source.scale, plain=c.is_checked)


def date_to_string(c: Conversion, data: Array) -> Array:
    """`yyyy-mm-dd`."""
    return c.k.datetime.date_to_string(data)


def local_to_string(c: Conversion, data: Array) -> Array:
    """`yyyy-mm-dd hh:mm:ss` with the fraction, if there is one."""
    return c.k.datetime.timestamp_to_string(data)


def timestamp_to_string(c: Conversion, data: Array) -> Array:
    """The local time in the time zone."""
    return c.k.datetime.timestamp_to_string(timestamp_to_local(c, data))
