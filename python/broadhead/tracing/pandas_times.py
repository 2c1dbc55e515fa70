"""Dates and timestamps of pandas functions, and the accessor `.dt`.

Timestamps are local times of the session's zone, in microseconds; pandas has nanoseconds and so
fewer years.
"""

from __future__ import annotations

import datetime
import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from broadhead.expressions.traced_calls import (
    FLOOR_QUOTIENT,
    FLOOR_REMAINDER,
    IEEE_DIVIDE,
    LOCAL_MICROS,
)
from broadhead.plan.expressions import Expression, Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import EXACT, Bounds
from broadhead.tracing.pandas_series import Kind, Series, booleans, floats
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method, Symbol
from broadhead.types import DATE, DOUBLE, INTEGER, LONG, TIMESTAMP, TIMESTAMP_NTZ

DATE_FIELDS: dict[str, tuple[str, int, int]] = {
    "year": ("Year", 1, 9999),
    "month": ("Month", 1, 12),
    "day": ("DayOfMonth", 1, 31),
    "quarter": ("Quarter", 1, 4),
    "dayofweek": ("WeekDay", 0, 6),
    "day_of_week": ("WeekDay", 0, 6),
    "weekday": ("WeekDay", 0, 6),
    "dayofyear": ("DayOfYear", 1, 366),
    "day_of_year": ("DayOfYear", 1, 366),
}
CLOCK_FIELDS = {"hour": ("Hour", 0, 23), "minute": ("Minute", 0, 59), "second": ("Second", 0, 59)}
EPOCH = datetime.date(1970, 1, 1).toordinal()
DAY = 86_400_000_000
MOST_DAYS = 300_000
FIRST, LAST = datetime.date(1678, 1, 1), datetime.date(2262, 1, 1)
"""Whole years that nanoseconds in 64 bits have."""
FIRST_IN_ZONE, LAST_IN_ZONE = datetime.date(1970, 1, 2), datetime.date(2037, 1, 1)
"""Years for which all versions of the time zone database have the same offsets of a zone."""
FIXED_ZONE = re.compile(r"(UTC|GMT|Etc/UTC|Etc/GMT|Z|Zulu|UCT|[+-]\d\d:\d\d)")


def days(date: datetime.date) -> Literal:
    """A constant date."""
    return Literal(date.toordinal() - EPOCH, DATE)


def in_years_of_pandas(date: Expression) -> Expression:
    """Whether a date is in the years that pandas has."""
    return terms.and_(terms.compare("<=", days(FIRST), date), terms.compare("<", date, days(LAST)))


def local_time(timestamps: Expression, zone: str) -> Expression:
    """Timestamps as the session's local times; those of years without clear rules raise."""
    fixed = FIXED_ZONE.fullmatch(zone) is not None
    first, last = (FIRST, LAST) if fixed else (FIRST_IN_ZONE, LAST_IN_ZONE)
    low, high = (Literal((d.toordinal() - EPOCH) * DAY, TIMESTAMP) for d in (first, last))
    inside = terms.and_(terms.compare("<=", low, timestamps), terms.compare("<", timestamps, high))
    return terms.cast(terms.required(timestamps, inside), TIMESTAMP_NTZ, zone=zone)


def of_dates(value: Any) -> Series:
    """`pandas.to_datetime(series)`: midnights of dates."""
    if not isinstance(value, Series) or value.kind not in (Kind.DATE, Kind.TIME):
        raise Untraceable("it calls pandas.to_datetime with other values than dates")
    if value.kind is Kind.TIME:
        return value
    dates = terms.required(value.expression, in_years_of_pandas(value.expression))
    return Series(Kind.TIME, terms.cast(dates, TIMESTAMP_NTZ))


def is_time(value: Any) -> bool:
    """Whether the operand is a date, a timestamp or a difference of them."""
    kinds = (Kind.DATE, Kind.TIME, Kind.SPAN)
    return isinstance(value, datetime.date | datetime.timedelta) or (
        isinstance(value, Series) and value.kind in kinds
    )


def time_arithmetic(operator: str, left: Any, right: Any) -> Series:
    """The time between two timestamps."""
    both = [side for side in (left, right) if isinstance(side, Series) and side.kind is Kind.TIME]
    if operator != "-" or len(both) < 2:
        raise Untraceable(f"it uses {operator} on dates or timestamps")
    micros = [terms.call(LOCAL_MICROS, LONG, side.expression) for side in both]
    return Series(Kind.SPAN, terms.arithmetic("Subtract", *micros))


def time_compare(operator: str, left: Any, right: Any) -> Series:
    """A comparison of timestamps, or of dates that are never null: pandas cannot order None."""
    sides = []
    for side in (left, right):
        if isinstance(side, Series) and side.kind is Kind.DATE:
            if side.expression.nullable:
                raise Untraceable("it compares dates that may be null")
            sides.append(side.expression)
        elif isinstance(side, Series) and side.kind is Kind.TIME:
            sides.append(side.expression)
        elif type(side) is datetime.date:
            sides.append(days(side))
        else:
            raise Untraceable("it compares timestamps or dates with other values")
    if sides[0].type != sides[1].type:
        raise Untraceable("it compares timestamps with dates")
    return booleans(terms.compare(operator, *sides))


def _seconds(micros: Expression) -> Series:
    """Seconds as floats, with the roundings of this version of pandas.

    It has other ones for fractions of more nanoseconds than a float represents.
    """
    end = EXACT // 1000
    low, high = Literal(-end, LONG), Literal(end, LONG)
    short = terms.and_(terms.compare("<=", low, micros), terms.compare("<=", micros, high))
    million = Literal(1_000_000, LONG)
    fraction = terms.call(FLOOR_REMAINDER, LONG, micros, million)
    is_whole = terms.compare("==", fraction, Literal(0, LONG))
    exact = terms.guarded(micros, terms.or_(short, is_whole))
    if not adds_fractions():
        return floats(_ratio(exact, million))
    whole = terms.cast(terms.call(FLOOR_QUOTIENT, LONG, exact, million), DOUBLE)
    return floats(terms.arithmetic("Add", whole, _ratio(fraction, million)))


def _ratio(left: Expression, right: Expression) -> Expression:
    sides = terms.cast(left, DOUBLE), terms.cast(right, DOUBLE)
    return terms.call(IEEE_DIVIDE, DOUBLE, *sides)


@cache
def adds_fractions() -> bool:
    """Whether `total_seconds` divides the fraction of a second alone, as from pandas 3.1 on."""
    pandas: Any = importlib.import_module("pandas")
    nearly_zero = pandas.Series(pandas.to_timedelta([-1000], unit="ns"))
    return bool(nearly_zero.dt.total_seconds()[0] != -1e-6)


@dataclass(frozen=True)
class TimeAccessor(Symbol):
    """`series.dt`."""

    series: Series

    @property
    def shown(self) -> str:
        """What it is."""
        return "a Series' dt"

    def attribute(self, name: str) -> Any:
        """A field; a float in a batch with a missing value."""
        value = self.series.expression
        if self.series.kind is Kind.SPAN:
            return self._of_span(name)
        if name == "date":
            return Series(Kind.DATE, terms.cast(value, DATE))
        if name in {"normalize", "floor"}:
            return Method(self, name)
        if name in DATE_FIELDS:
            call, low, high = DATE_FIELDS[name]
            field = terms.call(call, INTEGER, terms.cast(value, DATE))
        elif name in CLOCK_FIELDS:
            call, low, high = CLOCK_FIELDS[name]
            field = terms.call(call, INTEGER, value, time_zone_id=None)
        else:
            raise Untraceable(f"it uses .dt.{name}")
        return Series(Kind.INT, field, value.nullable, Bounds(low, high))

    def _of_span(self, name: str) -> Any:
        if name == "days":
            day = Literal(DAY, LONG)
            whole = terms.call(FLOOR_QUOTIENT, LONG, self.series.expression, day)
            nullable = self.series.expression.nullable
            return Series(Kind.INT, whole, nullable, Bounds(-MOST_DAYS, MOST_DAYS))
        if name == "total_seconds":
            return Method(self, name)
        raise Untraceable(f"it uses .dt.{name}")

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Midnights, or seconds as floats."""
        value = self.series.expression
        if name == "total_seconds" and not arguments and not keywords:
            return _seconds(value)
        unit = {"normalize": (), "floor": ("D",)}.get(name)
        if unit is None or tuple(arguments) != unit or keywords:
            raise Untraceable(f"it calls .dt.{name} with other arguments")
        midnight = terms.cast(terms.cast(value, DATE), TIMESTAMP_NTZ)
        return replace(self.series, expression=midnight)
