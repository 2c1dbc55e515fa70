"""Sums of integers and unscaled data that are exact beyond 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED
from broadhead.kernels.arrow.decimals import wide

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGIT = 0xFFFFFFFF


def fits_long(values: pa.Array, length: int) -> bool:
    """Whether every sum of some of these int64 values fits in int64."""
    return _magnitude(values) * length < wide.LONG_LIMIT


def digit_bound(values: pa.Array, length: int, precision: int) -> bool:
    """Whether every sum of some of these values has at most `precision` digits."""
    return bool(_magnitude(values) * length < 10**precision)


def may_pass(values: pa.Array, length: int, precision: int) -> bool:
    """Whether an intermediate sum of these values may have more digits than the total."""
    low, high = wide.bounds(values)
    return low < 0 < high and not digit_bound(values, length, precision)


def by_sign(values: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The positive and the negative values, with 0 for the others."""
    zero = pa.scalar(0, values.type)
    if wide.is_wide(values):
        positive = pc.greater(values, zero)
        return pc.if_else(positive, values, zero), pc.if_else(positive, zero, values)
    return pc.max_element_wise(values, zero, skip_nulls=False), pc.min_element_wise(
        values, zero, skip_nulls=False
    )


def split(values: pa.Array) -> list[pa.Array]:
    """The 32-bit digits of each value as int64, lowest first, the last one signed.

    Sums of up to 2**31 of them fit in int64.
    """
    if wide.is_wide(values):
        limbs = views.limbs(values)
        low, high = limbs[:, 0], limbs[:, 1]
        digits = [low & _DIGIT, low >> 32 & _DIGIT, high & _DIGIT, high >> 32]
    else:
        low = views.values(values)
        digits = [low & _DIGIT, low >> 32]
    return [views.array(digit, pa.int64(), values) for digit in digits]


def as_long(digits: Sequence[pa.Array]) -> tuple[pa.Array, pa.Array | None]:
    """The total of two summed digits as int64, and a mask of the totals that do not fit."""
    low, high, valid = _carry(digits)
    total = views.array(low, pa.int64(), digits[0])
    return null_where_failed(total, (high != low >> 63) & valid)


def as_unscaled(digits: Sequence[pa.Array]) -> tuple[pa.Array, pa.Array | None]:
    """The total of summed digits as unscaled data, and a mask of the totals beyond 128 bits."""
    if len(digits) == 4:
        top = views.values(digits[3]) + _carried(digits[:3])
        beyond = top != top.astype(np.int32)
    else:
        beyond = np.zeros(len(digits[0]), bool)
    low, high, valid = _carry(digits)
    both = np.stack([low, high], axis=1)
    total = views.array(both, UNSCALED, digits[0])
    result, mask = null_where_failed(total, beyond & valid)
    return wide.narrowest(result), mask


def exceeds(data: pa.Array, precision: int) -> pa.Array | None:
    """Mask of the values with more than `precision` digits, or None if there are none."""
    low, high = wide.bounds(data)
    limit = 10**precision
    if -limit < low and high < limit:
        return None
    if not wide.is_wide(data):
        beyond = pc.or_(pc.greater_equal(data, limit), pc.less_equal(data, -limit))
    else:
        # compared with limit - 1, which has fewer digits than limit and so always fits
        edge = pa.scalar(limit - 1, UNSCALED)
        beyond = pc.or_(pc.greater(data, edge), pc.less(data, pc.negate(edge)))
    return logic.is_true(beyond)


def _magnitude(values: pa.Array) -> int:
    low, high = wide.bounds(values)
    return int(max(-low, high))


def _carried(digits: Sequence[pa.Array]) -> Any:
    carry: Any = np.int64(0)
    for digit in digits:
        carry = (views.values(digit) + carry) >> 32
    return carry


def _carry(digits: Sequence[pa.Array]) -> tuple[Any, Any, Any]:
    """The low and the high 64 bits of the totals, and a mask of the valid totals."""
    parts = []
    carry: Any = np.int64(0)
    for number in range(4):
        if number < len(digits):
            carry = carry + views.values(digits[number])
        parts.append(carry & _DIGIT)
        carry = carry >> 32
    low = parts[0] | parts[1] << 32
    high = parts[2] | parts[3] << 32
    return low, high, views.values(pc.is_valid(digits[0]))


def null_where_failed(total: pa.Array, failed: Any) -> tuple[pa.Array, pa.Array | None]:
    """Sums with nulls where the numpy mask is true, and that mask; None where no sum failed."""
    if not failed.any():
        return total, None
    mask = views.array(failed, pa.bool_())
    return logic.null_where(total, mask), mask
