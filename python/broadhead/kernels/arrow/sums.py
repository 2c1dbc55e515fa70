"""Sums of integers that never wrap around unseen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.physical import WIDE, as_array, from_values, limbs, validity, values
from broadhead.kernels.arrow.precision import exceeds
from broadhead.kernels.arrow.exact import narrowed

Array = Any
Checked = tuple[Array, Array | None]

LOW_BITS = 0xFFFFFFFF


def magnitude(data: Array) -> int:
    """The greatest absolute value of int64 data, 0 for none."""
    bounds = pc.min_max(data).as_py()
    return max(abs(bounds["min"] or 0), abs(bounds["max"] or 0))


def fits(data: Array, count: int) -> bool:
    """Whether any sum of `count` of these int64 values fits in int64."""
    return magnitude(data) * count < 2**63


def halves(data: Array) -> tuple[Array, Array]:
    """High (signed) and low 32 bits of int64 data, each as int64."""
    numbers = values(data)
    return (
        from_values(numbers >> 32, data, pa.int64()),
        from_values(numbers & LOW_BITS, data, pa.int64()),
    )


def to_long(high: Array, low: Array) -> Checked:
    """The sum whose halves have these sums; fails where it does not fit in int64."""
    low_sum, high_sum = values(low), values(high)
    carried = high_sum + (low_sum >> 32)
    outside = (carried < -(2**31)) | (carried >= 2**31)
    total = from_values((carried << 32) | (low_sum & LOW_BITS), high, pa.int64())
    return without(total, outside)


def without(total: Array, outside: np.ndarray[Any, Any]) -> Checked:
    """The total with null where it is outside of its type, and the mask of these rows."""
    if not outside.any():
        return total, None
    mask = as_array(pc.and_(pa.array(outside), total.is_valid()))
    if not pc.any(mask, min_count=0).as_py():
        return total, None
    return as_array(pc.if_else(mask, pa.scalar(None, total.type), total)), mask


def parts(data: Array) -> list[Array]:
    """128-bit data as four int64 columns of 32 bits each, the lowest first, the last one signed."""
    low, high = limbs(data)
    pieces = (low & LOW_BITS, low >> np.uint64(32), high & LOW_BITS, high >> 32)
    return [from_values(piece.astype(np.int64), data, pa.int64()) for piece in pieces]


def to_unscaled(sums: list[Array], precision: int) -> Checked:
    """The sum whose parts have these sums; fails above `precision` digits."""
    first, second, third, fourth = (values(part) for part in sums)
    second = second + (first >> 32)
    third = third + (second >> 32)
    fourth = fourth + (third >> 32)
    outside = (fourth < -(2**31)) | (fourth >= 2**31)
    words = np.empty((len(first), 2), np.int64)
    words[:, 0] = (second << 32) | (first & LOW_BITS)
    words[:, 1] = (fourth << 32) | (third & LOW_BITS)
    buffers = [validity(sums[0]), pa.py_buffer(words)]
    total, failed = without(pa.Array.from_buffers(WIDE, len(first), buffers), outside)
    total, too_long = check_precision(total, precision)
    if failed is None or too_long is None:
        return narrowed(total), failed if too_long is None else too_long
    return narrowed(total), as_array(pc.or_(failed, too_long))


def check_precision(total: Array, precision: int) -> Checked:
    """The total; fails above `precision` digits."""
    mask = exceeds(total, precision)
    if mask is None:
        return total, None
    return as_array(pc.if_else(mask, pa.scalar(None, total.type), total)), mask
