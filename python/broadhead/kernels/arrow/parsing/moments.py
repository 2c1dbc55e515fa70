"""Dates and times of single texts, in the grammar of Spark's CAST."""

from __future__ import annotations

import re
from dataclasses import dataclass

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.parsing.zone_ids import offset_of

_DATE = re.compile(rb"([+-]?[0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_TIME = rb"([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?([^0-9.].*)?)?)?"
_MOMENT = re.compile(
    rb"([+-]?[0-9]{4,6})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T]" + _TIME + rb")?)?)?", re.DOTALL
)
_TIME_ONLY = re.compile(rb"(?:T|(?=[0-9]+:))" + _TIME, re.DOTALL)
_MICROSECOND_DIGITS = 6
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_LIMIT = 2**63
_INT_LIMIT = 2**31
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS, _HOURS, _SIXTY = 12, 24, 60
_EPOCH_DAYS = 719_468
_SPACES = bytes(range(33))


@dataclass(frozen=True, slots=True)
class Moment:
    """Local microseconds, and those of the offset east of UTC if there is one."""

    local: int
    offset: int | None


def date(text: bytes) -> int | None:
    """Days since 1970-01-01."""
    match = _DATE.fullmatch(text)
    days = None if match is None else _days(match[1], match[2], match[3])
    return days if days is not None and -_INT_LIMIT <= days < _INT_LIMIT else None


def timestamp(text: bytes) -> Moment | None:
    """The moment of a text with or without an offset.

    Raises `EngineLimit` for a time without a date, which is one of the current date, for the name
    of a region, and for a local time for which no timestamp may be left.
    """
    moment = _moment(text)
    if moment is None:
        if _is_time_only(text):
            raise EngineLimit("a time without a date")
        return None
    if moment.offset is not None:
        return moment if -_LIMIT <= moment.local - moment.offset < _LIMIT else None
    if abs(moment.local) > _LIMIT + 2 * _DAY:
        return None
    if abs(moment.local) > _LIMIT - 2 * _DAY:
        raise EngineLimit("a local time within two days of the last timestamp")
    return moment


def local_timestamp(text: bytes) -> int | None:
    """Local microseconds of a text with or without an offset.

    Raises `EngineLimit` for the name of a region, which may be none.
    """
    moment = _moment(text)
    return moment.local if moment is not None and -_LIMIT <= moment.local < _LIMIT else None


def _moment(text: bytes) -> Moment | None:
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    days, time = _days(match[1], match[2], match[3]), _time(*match.group(4, 5, 6, 7))
    if days is None or time is None:
        return None
    local = days * _DAY + time
    if match[8] is None:
        return Moment(local, None)
    offset = _offset(match[8])
    return None if offset is None else Moment(local, offset * _SECOND)


def _is_time_only(text: bytes) -> bool:
    match = _TIME_ONLY.fullmatch(text)
    if match is None or _time(*match.group(1, 2, 3, 4)) is None:
        return False
    return match[5] is None or _offset(match[5]) is not None


def _offset(zone: bytes) -> int | None:
    return offset_of(zone.decode("utf-8", "replace").strip(_SPACES.decode()))


def _days(years: bytes, months: bytes | None, days: bytes | None) -> int | None:
    """Days since 1970-01-01; None if the month has no such day (Hinnant's algorithm)."""
    year, month, day = int(years), int(months or 1), int(days or 1)
    if not 1 <= month <= _MONTHS or day < 1:
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day > _MONTH_DAYS[month - 1] + (leap and month == 2):
        return None
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - _EPOCH_DAYS


def _time(
    hours: bytes | None, minutes: bytes | None, seconds: bytes | None, fraction: bytes | None
) -> int | None:
    """Microseconds since midnight; None if the clock never shows this time."""
    hour, minute, second = int(hours or 0), int(minutes or 0), int(seconds or 0)
    if hour >= _HOURS or minute >= _SIXTY or second >= _SIXTY:
        return None
    micros = int((fraction or b"")[:_MICROSECOND_DIGITS].ljust(_MICROSECOND_DIGITS, b"0"))
    return (hour * 3600 + minute * 60 + second) * _SECOND + micros
