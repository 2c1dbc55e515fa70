"""Columns of dates and times in the forms of ISO 8601."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.civil_days import days_of, month_lengths

Array = Any

DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T]\C*)?"
_DAY = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
LOCAL = rf"{_DAY}(?:[ T]{_CLOCK}(?:\.[0-9]+)?)?"
ZONED = rf"{_DAY}[ T]{_CLOCK}(?:\.[0-9]+)?(?:Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9])"
_ZONE = "(?:Z|[+-][0-9]{2}:[0-9]{2})$"
_BEYOND_MICROSECONDS = r"(\.[0-9]{6})[0-9]+"
_DATE_LENGTH, _LOCAL_LENGTH, _ZULU_LENGTH = 10, 26, 27
_SECONDS_LENGTH, _OFFSET_LENGTH = 19, 6
_MOST_OFFSET = 18 * 60
_MONTHS = 12
_PROBED = 16
"""Rows that are tried first, since a cast that fails is slow."""


def all_dates(texts: Array) -> Array | None:
    """Dates of texts of ten characters; None if another text is among them."""
    return _cast_all(texts, pa.date32())


def all_dates_with_times(texts: Array) -> Array | None:
    """Dates of texts with a space or T after the tenth character; None if another is among them."""
    starts, sizes = _starts(texts)
    if not len(starts) or sizes.min() <= _DATE_LENGTH:
        return None
    after = np.frombuffer(texts.buffers()[2], np.uint8)[starts + _DATE_LENGTH]
    if not ((after == ord(" ")) | (after == ord("T"))).all():
        return None
    return all_dates(_head(texts, _DATE_LENGTH))


def _starts(texts: Array) -> tuple[Any, Any]:
    """Where the texts that are not null start, and how many bytes they have."""
    bounds = views.offsets(texts)
    starts, sizes = bounds[:-1], np.diff(bounds)
    valid = views.valid(texts)
    return (starts, sizes) if valid is None else (starts[valid], sizes[valid])


def all_local(texts: Array) -> Array | None:
    """Local microseconds of texts without a zone; None if another text is among them."""
    micros = _cast_all(texts, pa.timestamp("us"))
    return None if micros is None else micros.view(pa.int64())


def all_zoned(texts: Array) -> tuple[Array, Array | None] | None:
    """Local microseconds of texts that all end with Z, or all with `+hh:mm`, and their offsets.

    None if another text is among them; the offsets, in microseconds, are None for Z.
    """
    starts, sizes = _starts(texts)
    if not len(starts) or sizes.min() <= _SECONDS_LENGTH:
        return None
    ends = starts + sizes
    characters = np.frombuffer(texts.buffers()[2], np.uint8)
    if (characters[ends - 1] == ord("Z")).all():
        micros = _all_with_seconds(texts, 1, sizes)
        return None if micros is None else (micros, None)
    offsets = _offsets(characters, ends)
    micros = None if offsets is None else _all_with_seconds(texts, _OFFSET_LENGTH, sizes)
    if micros is None or offsets is None:
        return None
    if texts.null_count:
        every = np.zeros(len(texts), np.int64)
        every[views.valid(texts)] = offsets
        offsets = every
    return micros, views.array(offsets, pa.int64(), texts)


def _offsets(characters: Any, ends: Any) -> Any | None:
    """Microseconds of `+hh:mm` before these positions; None if there is something else."""
    sign, colon = characters[ends - 6], characters[ends - 3]
    negative = sign == ord("-")
    if not (negative | (sign == ord("+"))).all() or not (colon == ord(":")).all():
        return None
    found = (characters[ends - back] - np.uint8(ord("0")) for back in (5, 4, 2, 1))
    tens, ones, sixths, units = found
    if max(int(digits.max()) for digits in (tens, ones, sixths, units)) >= 10:
        return None
    minutes = (sixths * 10 + units).astype(np.int64)
    total = (tens * 10 + ones).astype(np.int64) * 60 + minutes
    if minutes.max() >= 60 or total.max() > _MOST_OFFSET:
        return None
    return np.where(negative, -total, total) * 60_000_000


def _all_with_seconds(texts: Array, suffix: int, sizes: Any) -> Array | None:
    """Local microseconds of the texts without their last characters."""
    if sizes.min() < _SECONDS_LENGTH + suffix:
        return None
    return all_local(_head(texts, -suffix))


def _cast_all(texts: Array, data_type: pa.DataType) -> Array | None:
    try:
        texts.slice(0, _PROBED).cast(data_type)
        return texts.cast(data_type)
    except pa.ArrowInvalid:
        return None


def dates(texts: Array) -> Array:
    """Dates of texts of the form DATE, null where the month has no such day."""
    result = all_dates(_head(texts, _DATE_LENGTH))
    if result is not None:
        return result
    days, valid = _days(texts)
    result = views.array(days.astype(np.int32), pa.date32(), texts)
    return result if valid.all() else logic.null_where(result, views.array(~valid, pa.bool_()))


def _days(texts: Array) -> tuple[Any, Any]:
    """The days that the first ten characters name, and whether there are such days."""
    starts = views.offsets(texts)[:-1]
    characters = np.frombuffer(texts.buffers()[2], np.uint8)

    def number(*positions: int) -> Any:
        result = np.zeros(len(starts), np.int32)
        for position in positions:
            result = result * 10 + (characters[starts + position] - np.uint8(ord("0")))
        return result

    year, month, day = number(0, 1, 2, 3), number(5, 6), number(8, 9)
    valid = (month >= 1) & (month <= _MONTHS) & (day >= 1)
    month = np.where(valid, month, 1)
    valid &= day <= month_lengths(year, month)
    return days_of(year, month, day), valid


def local(texts: Array) -> Array:
    """Local microseconds of texts of the form LOCAL, null where the month has no such day."""
    return _micros(_head(texts, _LOCAL_LENGTH), pa.timestamp("us"))


def zoned(texts: Array) -> Array:
    """UTC microseconds of texts of the form ZONED, null where the month has no such day."""
    if (np.diff(views.offsets(texts)) > _ZULU_LENGTH).any():
        texts = pc.replace_substring_regex(texts, _BEYOND_MICROSECONDS, r"\1")
    return _micros(texts, pa.timestamp("us", "UTC"))


def without_zone(texts: Array) -> Array:
    """Local microseconds of texts of the form ZONED, null where the month has no such day."""
    return local(pc.replace_substring_regex(texts, _ZONE, ""))


def _head(texts: Array, length: int) -> Array:
    """The first bytes, or all but the last ones, of texts that are ASCII there."""
    return pc.binary_slice(texts.cast(pa.binary()), 0, length).cast(pa.string())


def _micros(texts: Array, data_type: pa.DataType) -> Array:
    try:
        return texts.cast(data_type).view(pa.int64())
    except pa.ArrowInvalid:
        _, valid = _days(texts)
        known = logic.null_where(texts, views.array(~valid, pa.bool_()))
        return known.cast(data_type).view(pa.int64())
