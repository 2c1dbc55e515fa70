"""The code points of strings as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.substrings import content, of_content
from broadhead.kernels.arrow.text.well_formed import check_well_formed

Array = Any
Numbers = np.ndarray[Any, Any]

_LONGER = (0x80, 0x800, 0x10000)
"""The code points from which on a character takes one more byte."""


def decoded(data: Array) -> tuple[Numbers, Numbers]:
    """All code points of the rows, and how many each row has.

    Raises `EngineLimit` for strings that are not UTF-8.
    """
    check_well_formed(data)
    bounds = views.offsets(data)
    here = content(data)[bounds[0] : bounds[-1]]
    codes = np.frombuffer(here.tobytes().decode().encode("utf-32-le"), np.uint32)
    if len(codes) == len(here):
        return codes, np.diff(bounds)
    starts = np.flatnonzero(here.view(np.int8) >= -64)
    return codes, np.diff(np.searchsorted(starts, bounds - bounds[0]))


def encoded(codes: Numbers, counts: Numbers, *sources: Array) -> Array:
    """Strings that stand one after another, with so many code points each."""
    characters = np.frombuffer(codes.tobytes().decode("utf-32-le").encode(), np.uint8)
    if len(characters) == len(codes):
        return of_content(characters, counts, pa.string(), *sources)
    widths = np.ones(len(codes), np.int64)
    for least in _LONGER:
        widths += codes >= least
    return of_content(characters, totals(widths, counts), pa.string(), *sources)


def totals(values: Numbers, counts: Numbers) -> Numbers:
    """The sums of successive groups of values, with so many values in each group."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    ends = np.cumsum(counts)
    result: Numbers = sums[ends] - sums[ends - counts]
    return result
