"""date_format: the texts of timestamps in the patterns that are usual for data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, literal, nulls
from broadhead.functions.registry import STRING, Allowed, Signature, function
from broadhead.functions.timestamps import DAY, MILLISECOND, MINUTE, TIMESTAMP_ARGUMENT, ZONE
from broadhead.functions.zones import MICROSECONDS, floor_to, to_local
from broadhead.types import INTEGER, LONG
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from broadhead.kernels.interface import Array, Data, Kernels
    from broadhead.plan.nodes import Zone

_DATES = ("yyyy-MM-dd", "yyyyMMdd", "yyyy/MM/dd", "dd/MM/yyyy", "MM/dd/yyyy", "dd.MM.yyyy")
_CLOCKS = ("HH:mm:ss.SSSSSS", "HH:mm:ss.SSS", "HH:mm:ss", "HH:mm")
_ISO_ENDS = ("", ".SSS", ".SSSXXX", "XXX", "[.SSS]", "[.SSS][XXX]", "[.SSS][XXXXX]")

PATTERNS = (
    *_DATES,
    *("yyyy-MM", "yyyyMM", "yyyy", "MM", "dd", "HH", "mm", "ss", *_CLOCKS),
    *(f"{date} {clock}" for date in _DATES for clock in _CLOCKS),
    *(f"yyyy-MM-dd'T'HH:mm:ss{end}" for end in _ISO_ENDS),
    *("yyyy-MM-dd HH", "yyyyMMddHHmmss"),
)
"""All fields of these patterns exist for each timestamp, so sections in brackets are written."""

_PARTS = re.compile(
    r"yyyy-MM-dd|HH:mm:ss|HH:mm|yyyy|MM|dd|HH|mm|ss|S+|X+|'(?P<quoted>[^']*)'|[\[\]]|[^A-Za-z]"
)

_FIELDS: Mapping[str, Allowed] = {**ZONE, "legacy": (False,)}


@function(
    "date_format",
    spark="DateFormatClass",
    signatures=[
        Signature((TIMESTAMP_ARGUMENT, STRING), STRING, literal=(1,), values={1: PATTERNS})
    ],
    fields=_FIELDS,
    note="patterns of dates and times in digits, such as `yyyy-MM-dd HH:mm:ss`, `dd/MM/yyyy`, "
    "`yyyyMMdd` and `yyyy-MM-dd'T'HH:mm:ss.SSSXXX`",
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
    parts = [
        k.columns.scalar(part, STRING_TYPE) if isinstance(part, str) else part
        for part in _parts(clock, text)
    ]
    return Column(k.strings.concat(parts), STRING_TYPE)


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
    def of_day(self) -> Array:
        """Microseconds of the day."""
        return self.k.arithmetic.subtract(self.local, floor_to(self.k, self.local, DAY))

    @cached_property
    def time(self) -> Array:
        """`1970-01-01 HH:mm:ss`."""
        return self.k.datetime.timestamp_to_string(floor_to(self.k, self.of_day, MICROSECONDS))

    def digits(self, texts: Array, position: int, length: int) -> Array:
        """A substring at a known place, which counts from the end if it is negative."""
        scalar = self.k.columns.scalar
        return self.k.strings.substring(texts, scalar(position, INTEGER), scalar(length, INTEGER))

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
    "XXX": lambda clock: clock.offset(seconds=False),
    "XXXXX": lambda clock: clock.offset(seconds=True),
}
