"""Where a text occurs in strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.substrings import content

Array = Any
Numbers = np.ndarray[Any, Any]


def occurrences(data: Array, text: bytes) -> tuple[Numbers, Numbers]:
    """The offset into the memory of each occurrence, overlapping ones too, and its row."""
    bounds = views.offsets(data)
    base, stop = int(bounds[0]), int(bounds[-1])
    here = content(data)[base:stop]
    found = np.flatnonzero(here[: max(len(here) - len(text) + 1, 0)] == text[0])
    for offset, byte in enumerate(text[1:], 1):
        found = found[here[found + offset] == byte]
    found = found + base
    rows = _rows_of(found, bounds)
    if len(text) > 1:
        inside = found + len(text) <= bounds[rows + 1]
        found, rows = found[inside], rows[inside]
    return found, rows


def apart(data: Array, text: bytes) -> tuple[Numbers, Numbers]:
    """The occurrences that do not overlap, as a search from the left finds them."""
    found, rows = occurrences(data, text)
    if len(text) < 2 or _never_overlaps(text):
        return found, rows
    keep = np.ones(len(found), bool)
    close = np.flatnonzero((np.diff(found) < len(text)) & (np.diff(rows) == 0))
    end, row = 0, -1
    # only these can overlap with their predecessor
    for number in np.unique(np.concatenate([close, close + 1])).tolist():
        if rows[number] == row and found[number] < end:
            keep[number] = False
        else:
            end, row = found[number] + len(text), rows[number]
    return found[keep], rows[keep]


def _rows_of(found: Numbers, bounds: Numbers) -> Numbers:
    """The row of each offset, where the offsets are in order."""
    if len(found) < len(bounds):
        return np.searchsorted(bounds, found, side="right") - 1
    counts = np.diff(np.searchsorted(found, bounds))
    return np.repeat(np.arange(len(counts)), counts)


def _never_overlaps(text: bytes) -> bool:
    return not any(text.startswith(text[offset:]) for offset in range(1, len(text)))
