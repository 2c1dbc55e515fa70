"""How many digits unscaled data have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.physical import as_array, is_wide, limbs
from broadhead.types import MAX_LONG_DIGITS, MAX_PRECISION

Array = Any


def exceeds(data: Array, precision: int) -> Array | None:
    """Mask of the values with more than `precision` digits, or None where there is none."""
    outside = _outside_wide(data, precision) if is_wide(data) else _outside_long(data, precision)
    if outside is None:
        return None
    mask = as_array(pc.fill_null(outside, fill_value=False))
    return mask if pc.any(mask, min_count=0).as_py() else None


def _outside_long(data: Array, precision: int) -> Any:
    if precision > MAX_LONG_DIGITS:
        return None
    limit = 10**precision
    bounds = pc.min_max(data).as_py()
    if bounds["min"] is None or (-limit < bounds["min"] and bounds["max"] < limit):
        return None
    return pc.or_(pc.greater_equal(data, limit), pc.less_equal(data, -limit))


def _outside_wide(data: Array, precision: int) -> Any:
    limit = 10 ** min(precision, MAX_PRECISION)
    low, high = limbs(data)
    limit_high = limit >> 64
    # well inside: no need to look at the low words
    if not ((high >= limit_high) | (high < -limit_high)).any():
        return None
    limit_low = np.uint64(limit & (2**64 - 1))
    least_low = np.uint64(-limit & (2**64 - 1))
    least_high = -limit >> 64
    above = (high > limit_high) | ((high == limit_high) & (low >= limit_low))
    below = (high < least_high) | ((high == least_high) & (low <= least_low))
    return pc.and_(pa.array(above | below), data.is_valid())
