"""Dates and timestamps of pandas functions, and the accessor `.dt`.

Timestamps are local times of the session's zone, in microseconds; pandas has nanoseconds and so
fewer years.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from broadhead.plan.expressions import Expression, Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import Bounds
from broadhead.tracing.pandas_series import Kind, Series, booleans
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Symbol
from broadhead.types import DATE, INTEGER

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
FIRST, LAST = datetime.date(1678, 1, 1), datetime.date(2262, 1, 1)
"""Whole years that nanoseconds in 64 bits have."""


def days(date: datetime.date) -> Literal:
    """A constant date."""
    return Literal(date.toordinal() - EPOCH, DATE)


def in_years_of_pandas(date: Expression) -> Expression:
    """Whether a date is in the years that pandas has."""
    return terms.and_(terms.compare("<=", days(FIRST), date), terms.compare("<", date, days(LAST)))


def is_time(value: Any) -> bool:
    """Whether the operand is a date, a timestamp or a difference of them."""
    kinds = (Kind.DATE, Kind.TIME, Kind.SPAN)
    return isinstance(value, datetime.date | datetime.timedelta) or (
        isinstance(value, Series) and value.kind in kinds
    )


def time_arithmetic(operator: str, left: Any, right: Any) -> Series:
    """Refused."""
    raise Untraceable(f"it uses {operator} on dates or timestamps")


def time_compare(operator: str, left: Any, right: Any) -> Series:
    """A comparison with a date, of dates that are never null: pandas cannot order None."""
    sides = []
    for side in (left, right):
        if isinstance(side, Series) and side.kind is Kind.DATE:
            if side.expression.nullable:
                raise Untraceable("it compares dates that may be null")
            sides.append(side.expression)
        elif type(side) is datetime.date:
            sides.append(days(side))
        else:
            raise Untraceable("it compares timestamps, or dates with other values")
    return booleans(terms.compare(operator, *sides))


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
        if name in DATE_FIELDS:
            call, low, high = DATE_FIELDS[name]
            field = terms.call(call, INTEGER, terms.cast(value, DATE))
        elif name in CLOCK_FIELDS:
            call, low, high = CLOCK_FIELDS[name]
            field = terms.call(call, INTEGER, value, time_zone_id=None)
        else:
            raise Untraceable(f"it uses .dt.{name}")
        return Series(Kind.INT, field, value.nullable, Bounds(low, high))

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Refused."""
        raise Untraceable(f"it calls .dt.{name}")
