"""Days since 1970-01-01 and their year, month and day in the proleptic Gregorian calendar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, Any]

_MONTH_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_ROWS_OF_A_TABLE, _ROWS_PER_DAY = 1_000, 2
"""So many rows, and for each day of the range, make a table of the days worth its cost."""


def civil(days: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Year, month and day of days since 1970-01-01 (Hinnant's algorithm), for all int32."""
    shifted = days.astype(np.int64) + 719_468
    era = shifted // 146_097
    day_of_era = shifted - era * 146_097
    year_of_era = (
        day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = np.where(shifted_month < 10, shifted_month + 3, shifted_month - 9)
    year = year_of_era + era * 400 + (month <= 2)
    return year, month, day


def by_table(days: Numbers, function: Callable[[Numbers], Numbers]) -> Numbers:
    """`function` of days, computed once for each day where many rows lie close together."""
    if len(days) < _ROWS_OF_A_TABLE:
        return function(days)
    first, last = int(days.min()), int(days.max())
    if (last - first) * _ROWS_PER_DAY > len(days):
        return function(days)
    return function(np.arange(first, last + 1))[days.astype(np.int64) - first]


def days_of(year: Numbers, month: Numbers, day: Any) -> Numbers:
    """Days since 1970-01-01 of a civil date."""
    shifted_year = year - (month <= 2)
    era = shifted_year // 400
    year_of_era = shifted_year - era * 400
    day_of_year = (153 * np.where(month > 2, month - 3, month + 9) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    days: Numbers = era * 146_097 + day_of_era - 719_468
    return days


def month_lengths(years: Numbers, months: Numbers) -> Numbers:
    """Number of days of the months, which are 1 to 12."""
    leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    lengths: Numbers = _MONTH_DAYS[months] + (leap & (months == 2))
    return lengths


def months_later(months: Numbers, day: Numbers) -> Numbers:
    """The date of a month, counted from year 0, with that day or its last."""
    first, last = int(months.min(initial=0)), int(months.max(initial=0))
    if last - first > len(months):
        return _first_days(months) + np.minimum(day, _lengths(months)) - 1
    table = np.arange(first, last + 1)
    indices = months - first
    days: Numbers = _first_days(table)[indices] + np.minimum(day, _lengths(table)[indices]) - 1
    return days


def _first_days(months: Numbers) -> Numbers:
    return days_of(months // 12, months % 12 + 1, 1)


def _lengths(months: Numbers) -> Numbers:
    return month_lengths(months // 12, months % 12 + 1)
