"""Arithmetic of dates over months and weeks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.date_parts import as_dates, near
from broadhead.functions.dates import spellings
from broadhead.functions.longs import Longs, longs
from broadhead.functions.operands import arrays, checked, literal, nulls, require, row_count
from broadhead.functions.registry import (
    DATE,
    DAY_TIME_INTERVAL,
    INT,
    STRING,
    YEAR_MONTH_INTERVAL,
    function,
)
from broadhead.functions.timestamps import DAY
from broadhead.registry import Allowed, Signature
from broadhead.types import DATE as DATE_TYPE
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.kernels.interface import Array, Data, Kernels
    from broadhead.types import DataType

FAIL_ON_ERROR: Mapping[str, Allowed] = {"failOnError": (True, False)}
MOST_MONTHS = 141_000_000
"""So many months are almost all the time that dates span."""
FARTHEST_YEAR = 5_800_000

_WEEKDAYS = (
    ("TH", "THU", "THURSDAY"),
    ("FR", "FRI", "FRIDAY"),
    ("SA", "SAT", "SATURDAY"),
    ("SU", "SUN", "SUNDAY"),
    ("MO", "MON", "MONDAY"),
    ("TU", "TUE", "TUESDAY"),
    ("WE", "WED", "WEDNESDAY"),
)
"""The names of weekdays; 1970-01-01 was a Thursday."""
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names}


def plus_months(k: Kernels, dates: Array, months: Data) -> Array:
    """The same day of another month, or its last; `WouldRaise` if there is no such date."""
    length = k.columns.length(dates)
    moved = k.datetime.add_months(dates, months)
    count = Longs(k, k.cast.widen(k.columns.full(months, length), LONG))
    require(k, count.is_less(-MOST_MONTHS), "DATETIME_OVERFLOW")
    require(k, count.is_greater(MOST_MONTHS), "DATETIME_OVERFLOW")
    before, after = (
        Longs(k, k.cast.widen(k.cast.reinterpret(data, INTEGER), LONG)) for data in (dates, moved)
    )
    backward = k.logic.and_(count.is_greater(0), after.is_less(before))
    forward = k.logic.and_(count.is_less(0), after.is_greater(before))
    require(k, k.logic.or_(backward, forward), "DATETIME_OVERFLOW")
    return moved


@function("add_months", spark="AddMonths", signatures=[Signature((DATE, INT), DATE)], raises=True)
def add_months(k: Kernels, dates: Column, months: Column) -> Column:
    """The date that many months later.

    >>> SELECT add_months(DATE'2016-08-31', 1)
    2016-09-30
    """
    data = k.columns.full(dates.data, row_count(k, [dates, months]))
    return Column(plus_months(k, data, months.data), DATE_TYPE)


@function(
    "date_add_months",
    spark="DateAddYMInterval",
    signatures=[Signature((DATE, YEAR_MONTH_INTERVAL), DATE)],
    raises=True,
    note="`date + interval`",
)
def date_add_months(k: Kernels, dates: Column, intervals: Column) -> Column:
    """The date an interval of months later.

    >>> SELECT DATE'2016-08-31' + INTERVAL '1' MONTH
    2016-09-30
    """
    return add_months(k, dates, intervals)


@function("last_day", spark="LastDay", signatures=[Signature((DATE,), DATE)])
def last_day(k: Kernels, dates: Column) -> Column:
    """The last date of the month.

    >>> SELECT last_day(DATE'2009-01-12')
    2009-01-31
    """
    first = k.datetime.truncate(dates.data, "month")
    following = k.datetime.add_months(first, k.columns.scalar(1, INTEGER))
    return Column(k.datetime.add_days(following, k.columns.scalar(-1, INTEGER)), DATE_TYPE)


@function(
    "next_day",
    spark="NextDay",
    signatures=[Signature((DATE, STRING), DATE, literal=(1,), values={1: spellings([*WEEKDAYS])})],
    fields=FAIL_ON_ERROR,
    note="the day of the week is a literal",
)
def next_day(k: Kernels, dates: Column, weekday: Column) -> Column:
    """The first date after a date that is on a day of the week.

    >>> SELECT next_day(DATE'2015-01-14', 'TU')
    2015-01-20
    """
    data, _ = arrays(k, [dates, weekday])
    name = literal(k, weekday)
    if name is None:
        return Column(nulls(k, DATE_TYPE, k.columns.length(data)), DATE_TYPE)
    days = near(k, data)
    wanted = WEEKDAYS[name.upper()]
    return Column(as_dates(days + 7 - (days - wanted) % 7), DATE_TYPE)


@function(
    "date_subtract",
    spark="SubtractDates",
    signatures=[Signature((DATE, DATE), DAY_TIME_INTERVAL)],
    fields={"legacyInterval": (False,)},
    raises=True,
    note="`date - date`",
)
def date_subtract(k: Kernels, end: Column, start: Column, *, returns: DataType) -> Column:
    """The interval of days from the second date to the first.

    >>> SELECT DATE'2021-03-01' - DATE'2021-02-01'
    INTERVAL '28' DAY
    """
    rows = row_count(k, [end, start])
    days = longs(k, end, rows) - longs(k, start, rows)
    result = k.arithmetic.multiply_checked(days.data, k.columns.scalar(DAY, LONG))
    return Column(checked(k, result, "DATETIME_OVERFLOW", raises=True), returns)


def existing_dates(k: Kernels, years: Array, months: Array, days: Array, *, raises: bool) -> Array:
    """The dates of these fields; null, or an error, if there is no such day."""
    values, failed = k.datetime.from_civil(years, months, days)
    if failed is not None:
        year = Longs(k, k.cast.widen(years, LONG))
        far = k.logic.or_(year.is_less(-FARTHEST_YEAR), year.is_greater(FARTHEST_YEAR))
        if k.logic.any(k.logic.and_(failed, far)):
            raise EngineLimit(f"a year is beyond {FARTHEST_YEAR}")
    return checked(k, (values, failed), "DATETIME_FIELD_OUT_OF_BOUNDS", raises=raises)


@function(
    "make_date",
    spark="MakeDate",
    signatures=[Signature((INT, INT, INT), DATE)],
    fields=FAIL_ON_ERROR,
    raises=True,
    lag=30,
)
def make_date(
    k: Kernels, years: Column, months: Column, days: Column, *, fail_on_error: bool
) -> Column:
    """The date of a year, a month and a day of the month.

    >>> SELECT make_date(2013, 7, 15)
    2013-07-15
    """
    fields = arrays(k, [years, months, days])
    return Column(existing_dates(k, *fields, raises=fail_on_error), DATE_TYPE)
