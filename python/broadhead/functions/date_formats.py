"""date_format: the texts of timestamps in the patterns that are usual."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.date_parts import MONTHS, WEEKDAYS, named
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays, literal, nulls
from broadhead.functions.registry import STRING, function
from broadhead.functions.timestamps import (
    DAY,
    HOUR,
    MILLISECOND,
    MINUTE,
    TIMESTAMP_ARGUMENT,
    ZONE,
)
from broadhead.functions.zones import MICROSECONDS, floor_to, to_local
from broadhead.registry import Allowed, Signature
from broadhead.types import INTEGER, LONG
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from broadhead.kernels.interface import Array, Data, Kernels
    from broadhead.plan.nodes import Zone

_DATES = (
    *("yyyy-MM-dd", "yyyyMMdd", "yyyy/MM/dd", "yyyy.MM.dd", "dd/MM/yyyy", "dd.MM.yyyy"),
    *("dd-MM-yyyy", "MM/dd/yyyy", "MM-dd-yyyy"),
)
_CLOCKS = ("HH:mm:ss.SSSSSS", "HH:mm:ss.SSS", "HH:mm:ss", "HH:mm")
_ISO_ENDS = ("", ".SSS", ".SSSXXX", "XXX", "[.SSS]", "[.SSS][XXX]", "[.SSS][XXXXX]")

PATTERNS = (
    *_DATES,
    *("yyyy-MM", "yyyyMM", "yyyy", "MM", "dd", "HH", "mm", "ss", *_CLOCKS),
    *(f"{date} {clock}" for date in _DATES for clock in _CLOCKS),
    *(f"yyyy-MM-dd'T'HH:mm:ss{end}" for end in _ISO_ENDS),
    *("yyyy-MM-dd HH", "yyyyMMddHH", "yyyyMMddHHmm", "yyyyMMddHHmmss", "yyyy/MM", "MM/yyyy"),
    *("MM-dd", "HHmm", "HHmmss", "d", "M", "M/d/yyyy", "d/M/yyyy", "d.M.yyyy", "yyyy-M-d"),
    *("E", "EEE", "EEEE", "MMM", "MMMM", "MMM yyyy", "MMMM yyyy", "dd MMM yyyy", "d MMM yyyy"),
    *("dd-MMM-yyyy", "MMM d, yyyy", "MMMM d, yyyy", "EEE, dd MMM yyyy HH:mm:ss"),
)
"""All fields of these patterns exist for each timestamp, so sections in brackets are written."""

_PARTS = re.compile(
    r"yyyy-MM-dd|HH:mm:ss|HH:mm|yyyy|M+|d+|E+|HH|mm|ss|S+|X+|'(?P<quoted>[^']*)'|[\[\]]|[^A-Za-z]"
)

_DIGITS = re.compile(r"y+|M+|d+|H+|m+|s+|S+|'(?P<quoted>[^']*)'|[\[\]]|[^A-Za-z]")
_OTHERS = frozenset({"XXX", "XXXXX", "d", "M", "MMM", "MMMM", "E", "EEE", "EEEE"})
"""Fields that do not have as many digits as letters."""
_MOST_YEAR = 9_999
_LONG_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_LONG_WEEKDAYS = (*("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),)

_FIELDS: Mapping[str, Allowed] = {**ZONE, "legacy": (False,)}


@function(
    "date_format",
    spark="DateFormatClass",
    signatures=[
        Signature((TIMESTAMP_ARGUMENT, STRING), STRING, literal=(1,), values={1: PATTERNS})
    ],
    fields=_FIELDS,
    note="usual patterns of dates and times, such as `yyyy-MM-dd HH:mm:ss`, `dd/MM/yyyy`, "
    "`yyyyMMdd`, `d MMM yyyy`, `EEEE` and `yyyy-MM-dd'T'HH:mm:ss.SSSXXX`",
)
def date_format(k: Kernels, timestamps: Column, pattern: Column, *, zone: Zone) -> Column:
    """The text of a timestamp in a pattern.

    >>> SELECT date_format(TIMESTAMP'2018-02-14 12:58:59', 'dd/MM/yyyy HH:mm')
    14/02/2018 12:58
    """
    data, _ = arrays(k, [timestamps, pattern])
    return _formatted(k, k.cast.reinterpret(data, LONG), pattern, zone)


@function(
    "from_unixtime",
    spark="FromUnixTime",
    signatures=[
        Signature((frozenset({"long"}), STRING), STRING, literal=(1,), values={1: PATTERNS})
    ],
    fields=_FIELDS,
    note="the patterns of `date_format`",
)
def from_unixtime(k: Kernels, seconds: Column, pattern: Column, *, zone: Zone) -> Column:
    """The text of seconds since 1970-01-01 00:00:00 UTC in a pattern.

    >>> SELECT from_unixtime(unix_seconds(TIMESTAMP'2018-02-14 12:58:59'), 'dd/MM/yyyy HH:mm')
    14/02/2018 12:58
    """
    data, _ = arrays(k, [seconds, pattern])
    micros = k.arithmetic.multiply(data, k.columns.scalar(MICROSECONDS, LONG))
    return _formatted(k, micros, pattern, zone)


def _formatted(k: Kernels, micros: Array, pattern: Column, zone: Zone) -> Column:
    text = literal(k, pattern)
    if text is None:
        return Column(nulls(k, STRING_TYPE, k.columns.length(micros)), STRING_TYPE)
    clock = _Clock(k, micros, to_local(k, micros, zone))
    names = {match[0] for match in _PARTS.finditer(text)}
    if _OTHERS.isdisjoint(names) and not clock.has_far_years:
        return Column(_in_digits(clock, text), STRING_TYPE)
    parts = [
        k.columns.scalar(part, STRING_TYPE) if isinstance(part, str) else part
        for part in _parts(clock, text)
    ]
    return Column(k.strings.concat(parts), STRING_TYPE)


def _in_digits(clock: _Clock, pattern: str) -> Array:
    """Texts of fields that have as many digits as letters."""
    layout: list[str | int] = []
    numbers = []
    for match in _DIGITS.finditer(pattern):
        name, quoted = match[0], match["quoted"]
        if name[0].isalpha():
            layout.append(len(name))
            numbers.append(clock.number(name))
        elif name not in "[]":
            layout.append(name if quoted is None else quoted)
    return clock.k.cast.digits_to_string(numbers, layout)


def _parts(clock: _Clock, pattern: str) -> list[Array | str]:
    """Texts of fields and of what stands between them."""
    parts: list[Array | str] = []
    for match in _PARTS.finditer(pattern):
        name = match[0]
        if name in _TEXTS:
            parts.append(_TEXTS[name](clock))
        elif name not in "[]":
            quoted = match["quoted"]
            parts.append(name if quoted is None else quoted)
    return parts


@dataclass
class _Clock:
    """Timestamps, and what the clocks show at them."""

    k: Kernels
    utc: Array
    local: Array

    @cached_property
    def date(self) -> Array:
        """`yyyy-MM-dd`, with more digits and a sign for far years."""
        return self.k.datetime.date_to_string(self.k.datetime.to_date(self.local))

    @cached_property
    def civil(self) -> tuple[Longs, ...]:
        """Year, month and day."""
        parts = self.k.datetime.civil(self.k.datetime.to_date(self.local))
        return tuple(Longs(self.k, self.k.cast.widen(part, LONG)) for part in parts)

    @cached_property
    def has_far_years(self) -> bool:
        """Whether a year is before 0 or has more than four digits."""
        return self.civil[0].is_outside(0, _MOST_YEAR)

    def number(self, name: str) -> Array:
        """The number of a field of digits."""
        if name[0] in "yMd":
            return self.civil["yMd".index(name[0])].data
        unit, whole = _CLOCK_UNITS[name]
        units = Longs(self.k, self.of_day).truncated(unit)
        return (units - units.truncated(whole) * whole).data

    @cached_property
    def of_day(self) -> Array:
        """Microseconds of the day."""
        return self.k.arithmetic.subtract(self.local, floor_to(self.k, self.local, DAY))

    @cached_property
    def time(self) -> Array:
        """`1970-01-01 HH:mm:ss`."""
        return self.k.datetime.timestamp_to_string(floor_to(self.k, self.of_day, MICROSECONDS))

    def digits(self, texts: Array, position: int, length: int) -> Array:
        """A substring at a known position, which counts from the end if it is negative."""
        scalar = self.k.columns.scalar
        return self.k.strings.substring(texts, scalar(position, INTEGER), scalar(length, INTEGER))

    def plain(self, part: int) -> Array:
        """Year, month or day without leading zeros."""
        return self.k.cast.integer_to_string(self.civil[part].data)

    def month_name(self, names: Sequence[str]) -> Array:
        """The name of the month."""
        return named(self.k, self.civil[1], names)

    def weekday(self, names: Sequence[str]) -> Array:
        """The name of the day of the week."""
        dates = self.k.datetime.to_date(self.local)
        number = self.k.datetime.field(dates, "day_of_week")
        return named(self.k, Longs(self.k, self.k.cast.widen(number, LONG)), names)

    def year(self) -> Array:
        """What the date has before month and day."""
        k = self.k
        length = k.arithmetic.subtract(
            k.strings.length(self.date), k.columns.scalar(len("-MM-dd"), INTEGER)
        )
        return k.strings.substring(self.date, k.columns.scalar(1, INTEGER), length)

    def fraction(self, unit: int) -> Array:
        """The fraction of the second in this unit, with leading zeros."""
        k = self.k
        rest = k.arithmetic.subtract(self.of_day, floor_to(k, self.of_day, MICROSECONDS))
        units = k.arithmetic.quotient(rest, k.columns.scalar(unit, LONG))
        with_one = k.arithmetic.add(units, k.columns.scalar(MICROSECONDS // unit, LONG))
        return self.digits(
            k.cast.integer_to_string(with_one), 2, len(str(MICROSECONDS // unit)) - 1
        )

    def offset(self, *, seconds: bool) -> Array:
        """The offset from UTC: hours, minutes and seconds that are not 0; `Z` if all shown are."""
        k = self.k
        offset = k.arithmetic.subtract(self.local, self.utc)
        shown = floor_to(k, k.arithmetic.abs(offset), MICROSECONDS if seconds else MINUTE)
        text = k.datetime.timestamp_to_string(shown)
        whole = self._equal(shown, floor_to(k, shown, MINUTE))
        clock = k.logic.if_else(whole, self.digits(text, 12, 5), self.digits(text, 12, 8))
        zero = k.columns.scalar(0, LONG)
        negative = k.logic.is_true(k.compare.compare("less", offset, zero))
        sign = k.logic.if_else(negative, self._repeated("-"), self._repeated("+"))
        signed = k.strings.concat([sign, clock])
        return k.logic.if_else(self._equal(shown, zero), self._repeated("Z"), signed)

    def _equal(self, left: Array, right: Data) -> Array:
        return self.k.logic.is_true(self.k.compare.compare("equal", left, right))

    def _repeated(self, text: str) -> Array:
        scalar = self.k.columns.scalar(text, STRING_TYPE)
        return self.k.columns.full(scalar, self.k.columns.length(self.utc))


_TEXTS: Mapping[str, Callable[[_Clock], Array]] = {
    "yyyy-MM-dd": lambda clock: clock.date,
    "yyyy": _Clock.year,
    "MM": lambda clock: clock.digits(clock.date, -5, 2),
    "dd": lambda clock: clock.digits(clock.date, -2, 2),
    "HH:mm:ss": lambda clock: clock.digits(clock.time, 12, 8),
    "HH:mm": lambda clock: clock.digits(clock.time, 12, 5),
    "HH": lambda clock: clock.digits(clock.time, 12, 2),
    "mm": lambda clock: clock.digits(clock.time, 15, 2),
    "ss": lambda clock: clock.digits(clock.time, 18, 2),
    "SSS": lambda clock: clock.fraction(MILLISECOND),
    "SSSSSS": lambda clock: clock.fraction(1),
    "M": lambda clock: clock.plain(1),
    "d": lambda clock: clock.plain(2),
    "MMM": lambda clock: clock.month_name(MONTHS),
    "MMMM": lambda clock: clock.month_name(_LONG_MONTHS),
    **dict.fromkeys(("E", "EEE"), lambda clock: clock.weekday(WEEKDAYS)),
    "EEEE": lambda clock: clock.weekday(_LONG_WEEKDAYS),
    "XXX": lambda clock: clock.offset(seconds=False),
    "XXXXX": lambda clock: clock.offset(seconds=True),
}

_CLOCK_UNITS = {
    "HH": (HOUR, 24),
    "mm": (MINUTE, 60),
    "ss": (MICROSECONDS, 60),
    "SSS": (MILLISECOND, 1_000),
    "SSSSSS": (1, MICROSECONDS),
}
"""Microseconds of the unit of a field, and the number of units of the next greater one."""
