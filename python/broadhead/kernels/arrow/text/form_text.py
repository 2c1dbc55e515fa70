"""Form encoding of many strings at once: `+` for spaces, `%` and two digits for other bytes."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.substrings import content, of_content

Array = Any
Numbers = np.ndarray[Any, Any]

_SPACE, _PLUS, _PERCENT = b" +%"
_PLAIN = np.zeros(256, bool)
"""Bytes that stand for themselves."""
_PLAIN[np.frombuffer((string.ascii_letters + string.digits + "-_.*").encode(), np.uint8)] = True
_OTHER = 16
_VALUES = np.full(256, _OTHER, np.uint8)
"""The value of a hexadecimal digit."""
_VALUES[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_VALUES[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)
_DIGITS = np.frombuffer(b"0123456789ABCDEF", np.uint8)


def encoded(data: Array) -> Array:
    """The encoding of each string."""
    bounds, here = _bytes(data)
    written = ~(_PLAIN[here] | (here == _SPACE))
    starts = np.zeros(len(here) + 1, np.int64)
    np.cumsum(1 + 2 * written, out=starts[1:])
    characters = np.empty(starts[-1], np.uint8)
    characters[starts[:-1]] = np.where(written, _PERCENT, np.where(_PLAIN[here], here, _PLUS))
    offsets, values = starts[:-1][written], here[written]
    characters[offsets + 1] = _DIGITS[values >> 4]
    characters[offsets + 2] = _DIGITS[values & 0xF]
    return of_content(characters, np.diff(starts[bounds]), pa.string(), data)


def decoded(data: Array) -> Array | None:
    """The strings of their encodings; None where one, also under a null, may be no encoding."""
    bounds, here = _bytes(data)
    if not len(here):
        return of_content(here, np.diff(bounds), pa.string(), data)
    if here.max() >= 0x80:
        return None
    characters = np.where(here == _PLUS, np.uint8(_SPACE), here)
    marks = np.flatnonzero(here == _PERCENT)
    rows = np.searchsorted(bounds, marks, side="right") - 1
    if (marks + 2 >= bounds[1:][rows]).any():
        return None
    high, low = _VALUES[here[marks + 1]], _VALUES[here[marks + 2]]
    if (np.maximum(high, low) == _OTHER).any():
        return None
    values = high << 4 | low
    characters[marks] = values
    kept = np.ones(len(here), bool)
    kept[marks + 1] = kept[marks + 2] = False
    lengths = np.diff(bounds) - 2 * np.bincount(rows, minlength=len(data))
    found = of_content(characters[kept], lengths, pa.string(), data)
    return found if values.max(initial=0) < 0x80 or _is_utf8(found) else None


def _bytes(data: Array) -> tuple[Numbers, Numbers]:
    """The bytes of all rows, and where each row begins in them."""
    bounds = views.offsets(data).astype(np.int64)
    return bounds - bounds[0], content(data)[bounds[0] : bounds[-1]]


def _is_utf8(data: Array) -> bool:
    try:
        data.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
