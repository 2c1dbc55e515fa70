"""Parts of dates and of intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.longs import Longs, longs
from broadhead.functions.registry import (
    DATE,
    DAY_TIME_INTERVAL,
    DECIMAL,
    INT,
    STRING,
    YEAR_MONTH_INTERVAL,
    function,
)
from broadhead.functions.timestamps import DAY, EITHER_TIMESTAMP, HOUR, MINUTE, ZONE
from broadhead.functions.zones import MICROSECONDS, to_local
from broadhead.registry import Signature
from broadhead.types import BYTE, INTEGER, LONG, TIMESTAMP
from broadhead.types import DATE as DATE_TYPE
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array, Field, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType

DATE_FIELD = (Signature((DATE,), INT),)
DATE_NAME = (Signature((DATE,), STRING),)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
BYTE_RESULT = frozenset({"byte"})
FARTHEST_DAY = 2**31 - 8
"""Dates so far from 1970 have weeks that reach beyond the last one."""


def near(k: Kernels, dates: Array) -> Longs:
    """Day numbers of dates; raises EngineLimit for the first and the last week that there is."""
    days = Longs(k, k.cast.widen(k.cast.reinterpret(dates, INTEGER), LONG))
    if days.is_outside(-FARTHEST_DAY, FARTHEST_DAY):
        raise EngineLimit("a date lies in the first or the last week that there is")
    return days


def as_dates(days: Longs) -> Array:
    """Dates of day numbers, which fit."""
    k = days.k
    return k.cast.reinterpret(k.cast.narrow_integer(days.data, INTEGER), DATE_TYPE)


def as_integers(numbers: Longs, data_type: DataType = INTEGER) -> Column:
    """A column of integers, or of a smaller type, of longs that fit."""
    return Column(numbers.k.cast.narrow_integer(numbers.data, data_type), data_type)


@function("weekofyear", spark="WeekOfYear", signatures=DATE_FIELD)
def weekofyear(k: Kernels, dates: Column) -> Column:
    """The week of the year by ISO 8601: week 1 is the one with the first Thursday.

    >>> SELECT weekofyear(DATE'2008-02-20')
    8
    """
    return Column(k.datetime.field(dates.data, "week"), INTEGER)


@function("year_of_week", spark="YearOfWeek", signatures=DATE_FIELD, note="`extract(YEAROFWEEK)`")
def year_of_week(k: Kernels, dates: Column) -> Column:
    """The year to which the week of a date belongs by ISO 8601.

    >>> SELECT extract(YEAROFWEEK FROM DATE'2005-01-02')
    2004
    """
    return Column(k.datetime.field(dates.data, "week_year"), INTEGER)


def named(k: Kernels, numbers: Longs, names: Sequence[str]) -> Array:
    """The name of each number, which counts from 1."""
    texts = k.columns.concat(
        [[k.columns.full(k.columns.scalar(name, STRING_TYPE), 1)] for name in names]
    )
    return k.columns.take(texts, (numbers - 1).data)[0]


def _named_field(k: Kernels, dates: Column, field: Field, names: Sequence[str]) -> Column:
    number = Longs(k, k.cast.widen(k.datetime.field(dates.data, field), LONG))
    return Column(named(k, number, names), STRING_TYPE)


@function("monthname", spark="MonthName", signatures=DATE_NAME)
def monthname(k: Kernels, dates: Column) -> Column:
    """The short name of the month.

    >>> SELECT monthname(DATE'2008-02-20')
    Feb
    """
    return _named_field(k, dates, "month", MONTHS)


@function("dayname", spark="DayName", signatures=DATE_NAME)
def dayname(k: Kernels, dates: Column) -> Column:
    """The short name of the day of the week.

    >>> SELECT dayname(DATE'2008-02-20')
    Wed
    """
    return _named_field(k, dates, "day_of_week", WEEKDAYS)


@function(
    "second_with_fraction",
    spark="SecondWithFraction",
    signatures=[Signature((EITHER_TIMESTAMP,), DECIMAL)],
    fields=ZONE,
    note="`extract(SECOND)`",
)
def second_with_fraction(
    k: Kernels, timestamps: Column, *, zone: Zone, returns: DataType
) -> Column:
    """The second of a timestamp with its fraction.

    >>> SELECT extract(SECOND FROM TIMESTAMP'2019-10-01 00:00:01.000001')
    1.000001
    """
    micros = k.cast.reinterpret(timestamps.data, LONG)
    local = to_local(k, micros, zone) if timestamps.type == TIMESTAMP else micros
    return Column((Longs(k, local) % MINUTE).data, returns)


def _interval(k: Kernels, intervals: Column) -> Longs:
    return longs(k, intervals, k.columns.length(intervals.data))


def _rest(numbers: Longs, whole: int) -> Longs:
    """Java's remainder, which has the sign of the dividend."""
    return numbers - numbers.truncated(whole) * whole


@function(
    "interval_years",
    spark="ExtractANSIIntervalYears",
    signatures=[Signature((YEAR_MONTH_INTERVAL,), INT)],
    note="`extract(YEAR)`",
)
def interval_years(k: Kernels, intervals: Column) -> Column:
    """The years of an interval.

    >>> SELECT extract(YEAR FROM INTERVAL '5-3' YEAR TO MONTH)
    5
    """
    return as_integers(_interval(k, intervals).truncated(12))


@function(
    "interval_months",
    spark="ExtractANSIIntervalMonths",
    signatures=[Signature((YEAR_MONTH_INTERVAL,), BYTE_RESULT)],
    note="`extract(MONTH)`",
)
def interval_months(k: Kernels, intervals: Column) -> Column:
    """The months of an interval beside its years.

    >>> SELECT extract(MONTH FROM INTERVAL '5-3' YEAR TO MONTH)
    3
    """
    return as_integers(_rest(_interval(k, intervals), 12), BYTE)


@function(
    "interval_days",
    spark="ExtractANSIIntervalDays",
    signatures=[Signature((DAY_TIME_INTERVAL,), INT)],
    note="`extract(DAY)`",
)
def interval_days(k: Kernels, intervals: Column) -> Column:
    """The days of an interval.

    >>> SELECT extract(DAY FROM INTERVAL '30 05:10' DAY TO MINUTE)
    30
    """
    return as_integers(_interval(k, intervals).truncated(DAY))


@function(
    "interval_hours",
    spark="ExtractANSIIntervalHours",
    signatures=[Signature((DAY_TIME_INTERVAL,), BYTE_RESULT)],
    note="`extract(HOUR)`",
)
def interval_hours(k: Kernels, intervals: Column) -> Column:
    """The hours of an interval beside its days.

    >>> SELECT extract(HOUR FROM INTERVAL '30 05:10' DAY TO MINUTE)
    5
    """
    return as_integers(_rest(_interval(k, intervals).truncated(HOUR), 24), BYTE)


@function(
    "interval_minutes",
    spark="ExtractANSIIntervalMinutes",
    signatures=[Signature((DAY_TIME_INTERVAL,), BYTE_RESULT)],
    note="`extract(MINUTE)`",
)
def interval_minutes(k: Kernels, intervals: Column) -> Column:
    """The minutes of an interval beside its hours.

    >>> SELECT extract(MINUTE FROM INTERVAL '30 05:10' DAY TO MINUTE)
    10
    """
    return as_integers(_rest(_interval(k, intervals).truncated(MINUTE), 60), BYTE)


@function(
    "interval_seconds",
    spark="ExtractANSIIntervalSeconds",
    signatures=[Signature((DAY_TIME_INTERVAL,), DECIMAL)],
    note="`extract(SECOND)`",
)
def interval_seconds(k: Kernels, intervals: Column, *, returns: DataType) -> Column:
    """The seconds of an interval with their fraction, beside its minutes.

    >>> SELECT extract(SECOND FROM INTERVAL '05:11.5' MINUTE TO SECOND)
    11.500000
    """
    return Column(_rest(_interval(k, intervals), 60 * MICROSECONDS).data, returns)
