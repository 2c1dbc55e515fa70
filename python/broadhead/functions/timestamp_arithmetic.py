"""Arithmetic of timestamps: on the local clock by months and days, on the timeline below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.calendar_arithmetic import plus_months
from broadhead.functions.date_parts import as_dates
from broadhead.functions.longs import Longs, longs
from broadhead.functions.operands import checked, row_count
from broadhead.functions.registry import DAY_TIME_INTERVAL, YEAR_MONTH_INTERVAL, function
from broadhead.functions.timestamps import (
    DAY,
    HOUR,
    LONG_RESULT,
    MILLISECOND,
    MINUTE,
    TIMESTAMP_ARGUMENT,
    ZONE,
)
from broadhead.functions.zones import MICROSECONDS, at_local, to_local
from broadhead.registry import Allowed, Signature
from broadhead.types import INTEGER, LONG, TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType

NTZ = frozenset({"timestamp_ntz"})
OVERFLOW = "DATETIME_OVERFLOW"
CLOCK_UNITS = {
    "MICROSECOND": 1,
    "MILLISECOND": MILLISECOND,
    "SECOND": MICROSECONDS,
    "MINUTE": MINUTE,
    "HOUR": HOUR,
}
DAY_UNITS = {"DAY": DAY, "DAYOFYEAR": DAY, "WEEK": 7 * DAY}
MONTH_UNITS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
UNIT: Mapping[str, Allowed] = {
    "unit": tuple(
        spelled
        for unit in (*CLOCK_UNITS, *DAY_UNITS, *MONTH_UNITS)
        for spelled in (unit, unit.lower(), unit.title())
    ),
    **ZONE,
}


def _sum(k: Kernels, left: Array, right: Array) -> Array:
    return checked(k, k.arithmetic.add_checked(left, right), OVERFLOW, raises=True)


def _clock(k: Kernels, timestamps: Column, zone: Zone | None, rows: int) -> Longs:
    """Microseconds of the local clock."""
    micros = longs(k, timestamps, rows)
    if timestamps.type != TIMESTAMP or zone is None:
        return micros
    return Longs(k, to_local(k, micros.data, zone))


def _on_clock(
    k: Kernels, timestamps: Column, utc: Longs, local: Longs, moved: Array, zone: Zone
) -> Array:
    """The timestamps when the local clock shows `moved`."""
    if timestamps.type != TIMESTAMP:
        return moved
    return at_local(k, utc.data, local.data, moved, zone)


def _plus_interval(k: Kernels, timestamps: Column, interval: Longs, zone: Zone) -> Array:
    """Whole days later on the local clock, then the rest on the timeline."""
    utc = longs(k, timestamps, k.columns.length(interval.data))
    days = interval.truncated(DAY) * DAY
    if timestamps.type == TIMESTAMP and not zone.transitions:
        return _sum(k, utc.data, interval.data)
    local = _clock(k, timestamps, zone, k.columns.length(interval.data))
    moved = _sum(k, local.data, days.data)
    at = _on_clock(k, timestamps, utc, local, moved, zone)
    return _sum(k, at, (interval - days).data)


def _plus_months(k: Kernels, timestamps: Column, months: Array, zone: Zone) -> Array:
    """The same time of the local clock, months later."""
    rows = k.columns.length(months)
    utc = longs(k, timestamps, rows)
    local = _clock(k, timestamps, zone, rows)
    dates = plus_months(k, k.datetime.to_date(local.data), months)
    midnight = checked(k, k.datetime.from_date(dates), OVERFLOW, raises=True)
    return _on_clock(k, timestamps, utc, local, _sum(k, midnight, (local % DAY).data), zone)


def _timestamps(k: Kernels, micros: Array, data_type: DataType) -> Column:
    return Column(k.cast.reinterpret(micros, data_type), data_type)


PLUS_INTERVAL = (
    Signature((TIMESTAMP_ARGUMENT, DAY_TIME_INTERVAL), TIMESTAMP_ARGUMENT),
    Signature((NTZ, DAY_TIME_INTERVAL), NTZ),
)


@function(
    "timestamp_add_interval",
    spark="TimestampAddInterval",
    signatures=PLUS_INTERVAL,
    fields=ZONE,
    raises=True,
    note="`timestamp + interval`",
)
def timestamp_add_interval(
    k: Kernels, timestamps: Column, intervals: Column, *, zone: Zone, returns: DataType
) -> Column:
    """The timestamp an interval of days and times later.

    >>> SELECT TIMESTAMP'2018-02-14 12:58:59' + INTERVAL '1 02' DAY TO HOUR
    2018-02-15 14:58:59
    """
    interval = longs(k, intervals, row_count(k, [timestamps, intervals]))
    return _timestamps(k, _plus_interval(k, timestamps, interval, zone), returns)


@function(
    "time_add",
    spark="TimeAdd",
    signatures=PLUS_INTERVAL,
    fields=ZONE,
    raises=True,
    note="`timestamp + interval` of Spark 4.0",
)
def time_add(
    k: Kernels, timestamps: Column, intervals: Column, *, zone: Zone, returns: DataType
) -> Column:
    """The timestamp an interval of days and times later.

    >>> SELECT TIMESTAMP'2018-02-14 12:58:59' + INTERVAL '1' HOUR
    2018-02-14 13:58:59
    """
    return timestamp_add_interval(k, timestamps, intervals, zone=zone, returns=returns)


@function(
    "timestamp_add_months",
    spark="TimestampAddYMInterval",
    signatures=[
        Signature((TIMESTAMP_ARGUMENT, YEAR_MONTH_INTERVAL), TIMESTAMP_ARGUMENT),
        Signature((NTZ, YEAR_MONTH_INTERVAL), NTZ),
    ],
    fields=ZONE,
    raises=True,
    note="`timestamp + interval`",
)
def timestamp_add_months(
    k: Kernels, timestamps: Column, intervals: Column, *, zone: Zone, returns: DataType
) -> Column:
    """The timestamp an interval of months later.

    >>> SELECT TIMESTAMP'2018-01-31 12:58:59' + INTERVAL '1' MONTH
    2018-02-28 12:58:59
    """
    months = k.columns.full(intervals.data, row_count(k, [timestamps, intervals]))
    return _timestamps(k, _plus_months(k, timestamps, months, zone), returns)


@function(
    "timestampadd",
    spark="TimestampAdd",
    signatures=[
        Signature((LONG_RESULT, TIMESTAMP_ARGUMENT), TIMESTAMP_ARGUMENT),
        Signature((LONG_RESULT, NTZ), NTZ),
    ],
    fields=UNIT,
    raises=True,
    note="also `dateadd` with a unit",
)
def timestampadd(
    k: Kernels, counts: Column, timestamps: Column, *, unit: str, zone: Zone, returns: DataType
) -> Column:
    """The timestamp that many units of time later.

    >>> SELECT timestampadd(MONTH, -1, TIMESTAMP'2022-03-31 00:00:00')
    2022-02-28 00:00:00
    """
    rows = row_count(k, [counts, timestamps])
    count = k.columns.full(counts.data, rows)
    name = unit.upper()
    per_unit = {**CLOCK_UNITS, **DAY_UNITS, **MONTH_UNITS}[name]
    product = k.arithmetic.multiply_checked(count, k.columns.scalar(per_unit, LONG))
    amount = checked(k, product, OVERFLOW, raises=True)
    if name in MONTH_UNITS:
        months = checked(k, k.cast.narrow_integer_checked(amount, INTEGER), OVERFLOW, raises=True)
        return _timestamps(k, _plus_months(k, timestamps, months, zone), returns)
    if name in CLOCK_UNITS:
        utc = longs(k, timestamps, rows)
        return _timestamps(k, _sum(k, utc.data, amount), returns)
    return _timestamps(k, _plus_interval(k, timestamps, Longs(k, amount), zone), returns)


def _difference(k: Kernels, end: Longs, start: Longs) -> Longs:
    result = k.arithmetic.subtract_checked(end.data, start.data)
    return Longs(k, checked(k, result, OVERFLOW, raises=True))


@function(
    "timestamp_subtract",
    spark="SubtractTimestamps",
    signatures=[
        Signature((TIMESTAMP_ARGUMENT, TIMESTAMP_ARGUMENT), DAY_TIME_INTERVAL),
        Signature((NTZ, NTZ), DAY_TIME_INTERVAL),
    ],
    fields={"legacyInterval": (False,), **ZONE},
    raises=True,
    note="`timestamp - timestamp`",
)
def timestamp_subtract(
    k: Kernels, end: Column, start: Column, *, zone: Zone, returns: DataType
) -> Column:
    """The interval between two timestamps on the local clock.

    >>> SELECT TIMESTAMP'2021-03-01 00:00:00' - TIMESTAMP'2021-02-01 12:00:00'
    INTERVAL '27 12:00:00' DAY TO SECOND
    """
    rows = row_count(k, [end, start])
    clocks = [_clock(k, side, zone, rows) for side in (end, start)]
    return Column(_difference(k, *clocks).data, returns)


@function(
    "timestampdiff",
    spark="TimestampDiff",
    signatures=[Signature((TIMESTAMP_ARGUMENT, TIMESTAMP_ARGUMENT), LONG_RESULT)],
    fields=UNIT,
    raises=True,
    note="also `datediff` with a unit",
)
def timestampdiff(k: Kernels, start: Column, end: Column, *, unit: str, zone: Zone) -> Column:
    """Whole units of time from the first timestamp to the second, on the local clock.

    >>> SELECT timestampdiff(HOUR, TIMESTAMP'2022-02-11 20:30:00', TIMESTAMP'2022-02-12 04:30:00')
    8
    """
    rows = row_count(k, [start, end])
    first, last = (_clock(k, side, zone, rows) for side in (start, end))
    name = unit.upper()
    if name not in MONTH_UNITS:
        difference = _difference(k, last, first)
        return Column(difference.truncated({**CLOCK_UNITS, **DAY_UNITS}[name]).data, LONG)
    months = _whole_months(k, first, last)
    return Column(months.truncated(MONTH_UNITS[name]).data, LONG)


def _whole_months(k: Kernels, first: Longs, last: Longs) -> Longs:
    """Months from one local time to another, as java.time.LocalDateTime.until."""
    first_day, last_day = first // DAY, last // DAY
    first_time, last_time = (
        clock - day * DAY for clock, day in ((first, first_day), (last, last_day))
    )
    unfinished = k.logic.and_(last_day.is_greater(first_day), last_time.is_less(first_time))
    begun = k.logic.and_(last_day.is_less(first_day), last_time.is_greater(first_time))
    shift = (last_day * 0 - 1).where(unfinished, (last_day * 0 + 1).where(begun, 0))
    numbers = [_month_and_day(k, day) for day in (first_day, last_day + shift)]
    return (numbers[1] - numbers[0]).truncated(32)


def _month_and_day(k: Kernels, days: Longs) -> Longs:
    """Numbers that differ by 32 for each month between dates."""
    years, months, day = (
        Longs(k, k.cast.widen(part, LONG)) for part in k.datetime.civil(as_dates(days))
    )
    return (years * 12 + months) * 32 + day
