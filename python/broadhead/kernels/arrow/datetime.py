"""Proleptic Gregorian dates and timestamps, as integers of days and microseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import civil_days, views
from broadhead.kernels.arrow.text.range_texts import texts_of

Array = Any
Data = Any
Checked = tuple[Array, Array | None]
Numbers = np.ndarray[Any, Any]

DAY = 86_400_000_000
MAX_DAYS = 106_751_991
"""Greatest number of days whose microseconds fit in int64."""

LEAST_DAY, GREATEST_DAY = -(2**31), 2**31 - 1
_FAR_YEAR = 6_000_000
"""No date has a year so far from 0."""

FIRST_SHORT_DAY, LAST_SHORT_DAY = -719_528, 2_932_896
"""0000-01-01 to 9999-12-31: years of four digits without a sign."""


def field(dates: Array, field: str) -> Array:
    """The field of a date, int32."""
    days = views.values(dates)
    found = civil_days.by_table(days, lambda table: _field(table, field).astype(np.int32))
    return views.array(found, pa.int32(), dates)


def _field(days: Numbers, name: str) -> Numbers:
    if name == "day_of_week":
        return (days.astype(np.int64) + 4) % 7 + 1
    if name in {"week", "week_year"}:
        wide = days.astype(np.int64)
        thursday = wide - (wide + 3) % 7 + 3
        return (_field(thursday, "day_of_year") + 6) // 7 if name == "week" else _year(thursday)
    year, month, day = civil_days.civil(days)
    if name == "day_of_year":
        return days - civil_days.days_of(year, np.ones_like(month), 1) + 1
    return {"year": year, "month": month, "day": day, "quarter": (month - 1) // 3 + 1}[name]


def _year(days: Numbers) -> Numbers:
    return civil_days.civil(days)[0]


def truncate(dates: Array, unit: str) -> Array:
    """The first date of the unit (weeks start on Monday)."""
    days = views.values(dates)
    found = civil_days.by_table(days, lambda table: _truncate(table, unit).astype(np.int32))
    return views.array(found, pa.date32(), dates)


def _truncate(days: Numbers, unit: str) -> Numbers:
    if unit == "day":
        return days
    if unit == "week":
        return days - (days.astype(np.int64) + 3) % 7
    year, month, _ = civil_days.civil(days)
    first = {"year": np.ones_like(month), "quarter": (month - 1) // 3 * 3 + 1, "month": month}
    return civil_days.days_of(year, first[unit], 1)


def add_days(dates: Data, days: Data) -> Array:
    """Date plus int32 days, wrapping around."""
    return views.contiguous(pc.add(_days(dates), days)).view(pa.date32())


def civil(dates: Array) -> tuple[Array, Array, Array]:
    """Year, month and day of the month, int32."""
    days = views.values(dates)
    parts = civil_days.by_table(
        days, lambda table: np.stack(civil_days.civil(table), axis=1).astype(np.int32)
    )
    year, month, day = (views.array(parts[:, part], pa.int32(), dates) for part in range(3))
    return year, month, day


def from_civil(years: Array, months: Array, days: Array) -> Checked:
    """The date of a year, month and day; fails if there is no such day, or it does not fit."""
    year, month, day = (views.values(part).astype(np.int64) for part in (years, months, days))
    exists = (month >= 1) & (month <= 12) & (day >= 1) & (np.abs(year) < _FAR_YEAR)
    month, year = np.where(exists, month, 1), np.where(exists, year, 0)
    exists &= day <= civil_days.month_lengths(year, month)
    number = civil_days.days_of(year, month, np.where(exists, day, 1))
    exists &= (number >= LEAST_DAY) & (number <= GREATEST_DAY)
    result = views.array(number.astype(np.int32), pa.date32(), years, months, days)
    if exists.all():
        return result, None
    mask = views.contiguous(pc.and_(pa.array(~exists), result.is_valid()))
    if not pc.any(mask, min_count=0).as_py():
        return result, None
    return logic.null_where(result, mask), mask


def add_months(dates: Array, months: Data) -> Array:
    """Date plus months; the last day of the month if it has no such day."""
    if isinstance(months, pa.Scalar) and not months.is_valid:
        return pa.nulls(len(dates), pa.date32())
    days = views.values(dates)
    if isinstance(months, pa.Scalar):
        count = months.as_py()
        moved = civil_days.by_table(days, lambda table: _months_later(table, count))
    else:
        moved = _months_later(days, views.values(months))
    return views.array(moved.astype(np.int32), pa.date32(), dates, months)


def _months_later(days: Numbers, months: Any) -> Numbers:
    parts = civil_days.by_table(days, _month_and_day)
    return civil_days.months_later(parts[:, 0] + months, parts[:, 1])


def _month_and_day(days: Numbers) -> Numbers:
    """The month, counted from year 0, and the day of the month."""
    year, month, day = civil_days.civil(days)
    return np.stack((year * 12 + month - 1, day), axis=1)


def difference(end: Data, start: Data) -> Array:
    """Days from start to end, int32, wrapping around."""
    return views.contiguous(pc.subtract(_days(end), _days(start)))


def _days(dates: Data) -> Data:
    if isinstance(dates, pa.Scalar):
        return dates.cast(pa.int32())
    return dates.view(pa.int32())


def to_date(timestamps: Array) -> Array:
    """The day of local microseconds, rounded down."""
    days = views.values(timestamps) // DAY
    return views.array(days.astype(np.int32), pa.date32(), timestamps)


def from_date(dates: Array) -> Checked:
    """Local microseconds of midnight, int64; fails if they do not fit."""
    days = views.values(dates).astype(np.int64)
    outside = np.abs(days) > MAX_DAYS
    result = views.array(np.where(outside, 0, days) * DAY, pa.int64(), dates)
    mask = views.contiguous(pc.and_(pa.array(outside), dates.is_valid()))
    if not outside.any() or not pc.any(mask, min_count=0).as_py():
        return result, None
    return views.contiguous(pc.if_else(mask, pa.scalar(None, pa.int64()), result)), mask


def utc_to_local(timestamps: Array, transitions: Array, offsets: Array) -> Array:
    """UTC microseconds to local microseconds."""
    utc = views.values(timestamps)
    period = np.searchsorted(views.values(transitions), utc, side="right")
    return views.array(utc + views.values(offsets)[period], pa.int64(), timestamps)


def local_to_utc(timestamps: Array, transitions: Array, offsets: Array) -> Array:
    """Local microseconds to UTC, like Java's ZonedDateTime.ofLocal."""
    local = views.values(timestamps)
    before, after = views.values(offsets)[:-1], views.values(offsets)[1:]
    # A period begins, in local time, when the clock of the period before shows its end. In an
    # overlap the earlier offset is valid until then, in a gap the time moves by the gap's length.
    starts = views.values(transitions) + np.maximum(before, after)
    period = np.searchsorted(starts, local, side="right")
    return views.array(local - views.values(offsets)[period], pa.int64(), timestamps)


def date_to_string(dates: Array) -> Array:
    """`yyyy-mm-dd`, with a plus sign for years beyond 9999 and a minus sign for years before 0."""
    days = views.values(dates)
    if not len(days) or (days.min() >= FIRST_SHORT_DAY and days.max() <= LAST_SHORT_DAY):
        texts = texts_of(
            dates.view(pa.int32()), lambda days: days.view(pa.date32()).cast(pa.string())
        )
        return views.contiguous(texts)
    fields = (part.tolist() for part in civil_days.civil(days))
    parts = zip(*fields, dates.is_valid().to_pylist(), strict=True)
    return pa.array([_iso(y, m, d) if ok else None for y, m, d, ok in parts], pa.string())


def _iso(year: int, month: int, day: int) -> str:
    sign = "+" if year > 9_999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def timestamp_to_string(timestamps: Array) -> Array:
    """Local microseconds as `yyyy-mm-dd hh:mm:ss[.ffffff]`, without trailing zeros."""
    days = views.values(timestamps) // DAY
    if not len(days) or (days.min() >= FIRST_SHORT_DAY and days.max() <= LAST_SHORT_DAY):
        texts = pc.cast(timestamps.view(pa.timestamp("us")), pa.string())
        return pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".")
    dates = date_to_string(to_date(timestamps)).to_pylist()
    rest = (views.values(timestamps) % DAY).tolist()
    texts = [None if d is None else f"{d} {_time(r)}" for d, r in zip(dates, rest, strict=True)]
    return pa.array(texts, pa.string())


def _time(microseconds: int) -> str:
    seconds, fraction = divmod(microseconds, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text
