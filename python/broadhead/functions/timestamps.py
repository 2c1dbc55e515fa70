"""Functions of timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.dates import UNITS, spellings
from broadhead.functions.operands import arrays, checked, literal, nulls, require
from broadhead.functions.registry import INT, INTEGRAL, NUMERIC, STRING, function
from broadhead.functions.zones import (
    MICROSECONDS,
    floor_divide,
    floor_to,
    midnight,
    to_local,
    to_utc,
)
from broadhead.registry import Allowed, Signature
from broadhead.types import DOUBLE, INTEGER, LONG, MAX_PRECISION, TIMESTAMP, DecimalType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone

TIMESTAMP_ARGUMENT = frozenset({"timestamp"})
EITHER_TIMESTAMP = frozenset({"timestamp", "timestamp_ntz"})
LONG_RESULT = frozenset({"long"})
ZONE: Mapping[str, Allowed] = {"timeZoneId": "any"}
MILLISECOND = 1_000
MICROSECOND_DIGITS = 6
MINUTE = 60 * MICROSECONDS
HOUR = 60 * MINUTE
DAY = 24 * HOUR

CLOCK_UNITS = {"DAY": DAY, "DD": DAY, "HOUR": HOUR, "MINUTE": MINUTE}
FRACTION_UNITS = {"SECOND": MICROSECONDS, "MILLISECOND": MILLISECOND, "MICROSECOND": 1}


def _clock(k: Kernels, timestamps: Column, zone: Zone, whole: int, unit: int) -> Column:
    """The `unit` of local time within the `whole`."""
    data = timestamps.data
    micros = k.cast.reinterpret(data, LONG)
    local = to_local(k, micros, zone) if timestamps.type == TIMESTAMP else micros
    rest = k.arithmetic.subtract(local, floor_to(k, local, whole))
    shown = k.arithmetic.quotient(rest, k.columns.scalar(unit, LONG))
    return Column(k.cast.narrow_integer(shown, INTEGER), INTEGER)


@function("hour", spark="Hour", signatures=[Signature((EITHER_TIMESTAMP,), INT)], fields=ZONE)
def hour(k: Kernels, timestamps: Column, *, zone: Zone) -> Column:
    """The hour of a timestamp.

    >>> SELECT hour(TIMESTAMP'2018-02-14 12:58:59')
    12
    """
    return _clock(k, timestamps, zone, DAY, HOUR)


@function("minute", spark="Minute", signatures=[Signature((EITHER_TIMESTAMP,), INT)], fields=ZONE)
def minute(k: Kernels, timestamps: Column, *, zone: Zone) -> Column:
    """The minute of a timestamp.

    >>> SELECT minute(TIMESTAMP'2018-02-14 12:58:59')
    58
    """
    return _clock(k, timestamps, zone, HOUR, MINUTE)


@function("second", spark="Second", signatures=[Signature((EITHER_TIMESTAMP,), INT)], fields=ZONE)
def second(k: Kernels, timestamps: Column, *, zone: Zone) -> Column:
    """The second of a timestamp.

    >>> SELECT second(TIMESTAMP'2018-02-14 12:58:59')
    59
    """
    return _clock(k, timestamps, zone, MINUTE, MICROSECONDS)


@function(
    "date_trunc",
    spark="TruncTimestamp",
    signatures=[
        Signature(
            (STRING, TIMESTAMP_ARGUMENT),
            TIMESTAMP_ARGUMENT,
            literal=(0,),
            values={0: spellings([*UNITS, *CLOCK_UNITS, *FRACTION_UNITS])},
        )
    ],
    fields=ZONE,
    raises=True,
    note="the unit is a literal",
)
def date_trunc(k: Kernels, unit: Column, timestamps: Column, *, zone: Zone) -> Column:
    """The start of the unit of time that contains a timestamp.

    >>> SELECT date_trunc('DAY', TIMESTAMP'2015-03-05 09:32:05')
    2015-03-05 00:00:00
    """
    _, data = arrays(k, [unit, timestamps])
    name = literal(k, unit)
    if name is None:
        return Column(nulls(k, TIMESTAMP, k.columns.length(data)), TIMESTAMP)
    micros = k.cast.reinterpret(data, LONG)
    result = _truncated(k, micros, name.upper(), zone)
    return Column(k.cast.reinterpret(result, TIMESTAMP), TIMESTAMP)


def _truncated(k: Kernels, micros: Array, unit: str, zone: Zone) -> Array:
    if unit in FRACTION_UNITS:
        return floor_to(k, micros, FRACTION_UNITS[unit])
    local = to_local(k, micros, zone)
    if unit not in CLOCK_UNITS:
        date = k.datetime.truncate(k.datetime.to_date(local), UNITS[unit])
        first = checked(k, k.datetime.from_date(date), "DATETIME_OVERFLOW", raises=True)
        return midnight(k, first, zone)
    floor = floor_to(k, local, CLOCK_UNITS[unit])
    if not zone.transitions:
        return to_utc(k, floor, zone)
    # As java.time.ZonedDateTime.truncatedTo: the offset stays where it is valid at the result.
    kept = k.arithmetic.subtract(micros, k.arithmetic.subtract(local, floor))
    valid = k.compare.compare("equal", to_local(k, kept, zone), floor)
    return k.logic.if_else(valid, kept, to_utc(k, floor, zone))


@function(
    "unix_micros", spark="UnixMicros", signatures=[Signature((TIMESTAMP_ARGUMENT,), LONG_RESULT)]
)
def unix_micros(k: Kernels, timestamps: Column) -> Column:
    """Microseconds since 1970-01-01 00:00:00 UTC.

    >>> SELECT unix_micros(TIMESTAMP'1970-01-01 00:00:01Z')
    1000000
    """
    return Column(k.cast.reinterpret(timestamps.data, LONG), LONG)


@function(
    "unix_millis", spark="UnixMillis", signatures=[Signature((TIMESTAMP_ARGUMENT,), LONG_RESULT)]
)
def unix_millis(k: Kernels, timestamps: Column) -> Column:
    """Milliseconds since 1970-01-01 00:00:00 UTC, rounded down.

    >>> SELECT unix_millis(TIMESTAMP'1970-01-01 00:00:01Z')
    1000
    """
    return Column(floor_divide(k, k.cast.reinterpret(timestamps.data, LONG), MILLISECOND), LONG)


@function(
    "unix_seconds", spark="UnixSeconds", signatures=[Signature((TIMESTAMP_ARGUMENT,), LONG_RESULT)]
)
def unix_seconds(k: Kernels, timestamps: Column) -> Column:
    """Seconds since 1970-01-01 00:00:00 UTC, rounded down.

    >>> SELECT unix_seconds(TIMESTAMP'1970-01-01 00:00:01Z')
    1
    """
    return Column(floor_divide(k, k.cast.reinterpret(timestamps.data, LONG), MICROSECONDS), LONG)


def _from_count(k: Kernels, counts: Column, unit: int) -> Column:
    """The timestamp that many units after the epoch; Spark raises on overflow in every mode."""
    micros = k.cast.widen(counts.data, LONG)
    result = k.arithmetic.multiply_checked(micros, k.columns.scalar(unit, LONG))
    data = checked(k, result, "ARITHMETIC_OVERFLOW", raises=True)
    return Column(k.cast.reinterpret(data, TIMESTAMP), TIMESTAMP)


def _of_doubles(k: Kernels, seconds: Array) -> Array:
    """Microseconds, truncated as Java does; null for what is no number."""
    million = k.columns.scalar(float(MICROSECONDS), DOUBLE)
    micros = k.cast.float_to_integer(k.arithmetic.multiply(seconds, million), LONG)
    infinity = k.columns.scalar(float("inf"), DOUBLE)
    finite = k.logic.is_true(k.compare.compare("less", k.arithmetic.abs(seconds), infinity))
    return k.logic.null_where(micros, k.logic.not_(finite))


def _of_decimals(k: Kernels, seconds: Array, scale: int) -> Array:
    """Microseconds; raises where there is a rest or the number does not fit."""
    digits = max(scale - MICROSECOND_DIGITS, 0)
    scaled, failed = k.decimal.rescale(seconds, scale, MAX_PRECISION, MICROSECOND_DIGITS)
    require(k, failed, "ARITHMETIC_OVERFLOW")
    if digits:
        back, failed = k.decimal.rescale(scaled, MICROSECOND_DIGITS, MAX_PRECISION, scale)
        require(k, failed, "ARITHMETIC_OVERFLOW")
        same = k.compare.null_safe_equal(back, seconds)
        require(k, k.logic.not_(same), "ARITHMETIC_OVERFLOW")
    result = k.decimal.to_integer(scaled, 0)
    return checked(k, result, "ARITHMETIC_OVERFLOW", raises=True)


FROM_INTEGRAL = (Signature((INTEGRAL,), TIMESTAMP_ARGUMENT),)


@function(
    "timestamp_seconds",
    spark="SecondsToTimestamp",
    signatures=[Signature((NUMERIC,), TIMESTAMP_ARGUMENT)],
    raises=True,
)
def timestamp_seconds(k: Kernels, counts: Column) -> Column:
    """The timestamp that many seconds after 1970-01-01 00:00:00 UTC.

    >>> SELECT unix_seconds(timestamp_seconds(1230219000))
    1230219000
    """
    if isinstance(counts.type, DecimalType):
        return Column(_of_decimals(k, counts.data, counts.type.scale), TIMESTAMP)
    if counts.type.is_floating:
        return Column(_of_doubles(k, k.cast.widen(counts.data, DOUBLE)), TIMESTAMP)
    return _from_count(k, counts, MICROSECONDS)


@function("timestamp_millis", spark="MillisToTimestamp", signatures=FROM_INTEGRAL, raises=True)
def timestamp_millis(k: Kernels, counts: Column) -> Column:
    """The timestamp that many milliseconds after 1970-01-01 00:00:00 UTC.

    >>> SELECT unix_millis(timestamp_millis(1230219000123))
    1230219000123
    """
    return _from_count(k, counts, MILLISECOND)


@function("timestamp_micros", spark="MicrosToTimestamp", signatures=FROM_INTEGRAL)
def timestamp_micros(k: Kernels, counts: Column) -> Column:
    """The timestamp that many microseconds after 1970-01-01 00:00:00 UTC.

    >>> SELECT unix_micros(timestamp_micros(1230219000123123))
    1230219000123123
    """
    micros = k.cast.widen(counts.data, LONG)
    return Column(k.cast.reinterpret(micros, TIMESTAMP), TIMESTAMP)
