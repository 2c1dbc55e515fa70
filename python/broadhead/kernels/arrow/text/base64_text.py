"""Base64 of many strings at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.groups import in_groups
from broadhead.kernels.arrow.text.substrings import content, of_content, substrings

Array = Any
Numbers = np.ndarray[Any, Any]

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_PAIRS = np.frombuffer(bytes(c for a in _ALPHABET for b in _ALPHABET for c in (a, b)), np.uint16)
"""Two characters for twelve bits."""
_PADDING = ord("=")
_OTHER = 64
_BITS = np.full(256, _OTHER, np.uint8)
"""The six bits of a character."""
_BITS[np.frombuffer(_ALPHABET, np.uint8)] = np.arange(64)


def encoded(data: Array) -> Array:
    """Each string as one line."""
    groups, counts = in_groups(data, 3)
    wide = groups.astype(np.uint32)
    bits = (wide[:, 0] << 16) | (wide[:, 1] << 8) | wide[:, 2]
    pairs = np.empty((len(bits), 2), np.uint16)
    pairs[:, 0] = _PAIRS[bits >> 12]
    pairs[:, 1] = _PAIRS[bits & 0xFFF]
    characters = pairs.reshape(-1).view(np.uint8)
    ends = np.cumsum(counts) * 4
    rest = np.diff(views.offsets(data)) % 3
    characters[ends[rest > 0] - 1] = _PADDING
    characters[ends[rest == 1] - 2] = _PADDING
    return of_content(characters, counts * 4, pa.string(), data)


def decoded(data: Array, *, strict: bool) -> tuple[Array, Numbers]:
    """The bytes of Base64, and which rows are not decoded: those with other characters.

    Without `strict`, the padding may be missing.
    """
    bounds = views.offsets(data).astype(np.int64)
    lengths = np.diff(bounds)
    base = bounds[0]
    here = content(data)[base : bounds[-1]]
    padding = _padding(here, bounds - base)
    digits = lengths - padding
    whole = lengths % 4 == 0
    done = (digits % 4 != 1) & (whole if strict else whole | (padding == 0))
    others = np.flatnonzero(_BITS[here] == _OTHER)
    rows = np.searchsorted(bounds - base, others, side="right") - 1
    inside = others < (bounds[:-1] - base + digits)[rows]
    done[rows[inside]] = False
    groups, counts = in_groups(data, 4)
    wide = _BITS[groups].astype(np.uint32) & 0x3F
    bits = (wide[:, 0] << 18) | (wide[:, 1] << 12) | (wide[:, 2] << 6) | wide[:, 3]
    three = np.empty((len(bits), 3), np.uint8)
    three[:, 0], three[:, 1], three[:, 2] = bits >> 16, bits >> 8 & 0xFF, bits & 0xFF
    padded = of_content(three.reshape(-1), counts * 3, pa.binary(), data)
    starts = views.offsets(padded)[:-1]
    return substrings(padded, starts, starts + np.where(done, digits * 3 // 4, 0)), ~done


def _padding(here: Numbers, bounds: Numbers) -> Numbers:
    """How many of its last two characters are `=`."""
    found = np.append(here == _PADDING, False)
    ends, lengths = bounds[1:], np.diff(bounds)
    one = found[np.where(lengths > 0, ends - 1, -1)]
    two = found[np.where(lengths > 1, ends - 2, -1)]
    count: Numbers = one.astype(np.int64) + (one & two)
    return count
