"""Functions of dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, literal, nulls
from broadhead.functions.registry import DATE, INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import DATE as DATE_TYPE
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from broadhead.kernels.interface import Field, Kernels, Unit

DATE_FIELD = (Signature((DATE,), INT),)
DAYS = (Signature((DATE, frozenset({"byte", "short", "integer"})), DATE),)

UNITS: dict[str, Unit] = {
    "WEEK": "week",
    "MON": "month",
    "MONTH": "month",
    "MM": "month",
    "QUARTER": "quarter",
    "YEAR": "year",
    "YYYY": "year",
    "YY": "year",
}
"""Spark's names of the units that dates are truncated to."""


def spellings(names: list[str]) -> tuple[str, ...]:
    """The names in upper, lower and title case, for the values in the capabilities."""
    return tuple(
        dict.fromkeys(form for name in names for form in (name, name.lower(), name.title()))
    )


def _field(k: Kernels, dates: Column, field: Field) -> Column:
    return Column(k.datetime.field(dates.data, field), INTEGER)


@function("year", spark="Year", signatures=DATE_FIELD, null_intolerant=True)
def year(k: Kernels, dates: Column) -> Column:
    """The year of a date.

    >>> SELECT year(DATE'2016-07-30')
    2016
    """
    return _field(k, dates, "year")


@function("quarter", spark="Quarter", signatures=DATE_FIELD)
def quarter(k: Kernels, dates: Column) -> Column:
    """The quarter of a date, 1 to 4.

    >>> SELECT quarter(DATE'2016-08-31')
    3
    """
    return _field(k, dates, "quarter")


@function("month", spark="Month", signatures=DATE_FIELD, null_intolerant=True)
def month(k: Kernels, dates: Column) -> Column:
    """The month of a date, 1 to 12.

    >>> SELECT month(DATE'2016-07-30')
    7
    """
    return _field(k, dates, "month")


@function("day", spark="DayOfMonth", signatures=DATE_FIELD, null_intolerant=True)
def day(k: Kernels, dates: Column) -> Column:
    """The day of the month of a date.

    >>> SELECT day(DATE'2016-07-30')
    30
    """
    return _field(k, dates, "day")


@function("dayofweek", spark="DayOfWeek", signatures=DATE_FIELD)
def dayofweek(k: Kernels, dates: Column) -> Column:
    """The day of the week of a date: 1 is Sunday.

    >>> SELECT dayofweek(DATE'2009-07-30')
    5
    """
    return _field(k, dates, "day_of_week")


@function("weekday", spark="WeekDay", signatures=DATE_FIELD)
def weekday(k: Kernels, dates: Column) -> Column:
    """The day of the week of a date: 0 is Monday.

    >>> SELECT weekday(DATE'2009-07-30')
    3
    """
    sunday_is_one = k.datetime.field(dates.data, "day_of_week")
    shifted = k.arithmetic.add(sunday_is_one, k.columns.scalar(5, INTEGER))
    return Column(k.arithmetic.remainder(shifted, k.columns.scalar(7, INTEGER)), INTEGER)


@function("dayofyear", spark="DayOfYear", signatures=DATE_FIELD)
def dayofyear(k: Kernels, dates: Column) -> Column:
    """The day of the year of a date.

    >>> SELECT dayofyear(DATE'2016-04-09')
    100
    """
    return _field(k, dates, "day_of_year")


@function("date_add", spark="DateAdd", signatures=DAYS)
def date_add(k: Kernels, dates: Column, days: Column) -> Column:
    """The date that many days later.

    >>> SELECT date_add(DATE'2016-07-30', 1)
    2016-07-31
    """
    count = k.cast.widen(days.data, INTEGER)
    return Column(k.datetime.add_days(dates.data, count), DATE_TYPE)


@function("date_sub", spark="DateSub", signatures=DAYS)
def date_sub(k: Kernels, dates: Column, days: Column) -> Column:
    """The date that many days earlier.

    >>> SELECT date_sub(DATE'2016-07-30', 1)
    2016-07-29
    """
    number = k.cast.reinterpret(dates.data, INTEGER)
    earlier = k.arithmetic.subtract(number, k.cast.widen(days.data, INTEGER))
    return Column(k.cast.reinterpret(earlier, DATE_TYPE), DATE_TYPE)


@function("datediff", spark="DateDiff", signatures=[Signature((DATE, DATE), INT)])
def datediff(k: Kernels, end: Column, start: Column) -> Column:
    """Days from the second date to the first.

    >>> SELECT datediff(DATE'2009-07-31', DATE'2009-07-30')
    1
    """
    return Column(k.datetime.difference(end.data, start.data), INTEGER)


@function("unix_date", spark="UnixDate", signatures=DATE_FIELD)
def unix_date(k: Kernels, dates: Column) -> Column:
    """Days since 1970-01-01.

    >>> SELECT unix_date(DATE'1970-01-02')
    1
    """
    return Column(k.cast.reinterpret(dates.data, INTEGER), INTEGER)


@function("date_from_unix_date", spark="DateFromUnixDate", signatures=[Signature((INT,), DATE)])
def date_from_unix_date(k: Kernels, days: Column) -> Column:
    """The date that many days after 1970-01-01.

    >>> SELECT date_from_unix_date(1)
    1970-01-02
    """
    return Column(k.cast.reinterpret(days.data, DATE_TYPE), DATE_TYPE)


@function(
    "trunc",
    spark="TruncDate",
    signatures=[Signature((DATE, STRING), DATE, literal=(1,), values={1: spellings([*UNITS])})],
    note="the unit is a literal from week to year",
)
def trunc(k: Kernels, dates: Column, unit: Column) -> Column:
    """The first date of the week, month, quarter or year.

    >>> SELECT trunc(DATE'2019-08-04', 'month')
    2019-08-01
    """
    data, _ = arrays(k, [dates, unit])
    name = literal(k, unit)
    if name is None:
        return Column(nulls(k, DATE_TYPE, k.columns.length(data)), DATE_TYPE)
    return Column(k.datetime.truncate(data, UNITS[name.upper()]), DATE_TYPE)
