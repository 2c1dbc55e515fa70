"""Operations on the two's complement of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.arrays import views

_EXPONENT = np.int64(52)
"""The lowest bit of the exponent in a double."""
_EXPONENT_OF_HIGHEST = np.int64(1023 + 63)
"""The exponent of the doubles from 2 ** 63 on."""
_UNSIGNED = {pa.int32(): pa.uint32(), pa.int64(): pa.uint64()}


def and_(left: Any, right: Any) -> Any:
    """Bitwise and."""
    return pc.bit_wise_and(left, right)


def or_(left: Any, right: Any) -> Any:
    """Bitwise or."""
    return pc.bit_wise_or(left, right)


def xor(left: Any, right: Any) -> Any:
    """Bitwise exclusive or."""
    return pc.bit_wise_xor(left, right)


def not_(data: Any) -> Any:
    """Bitwise not."""
    return pc.bit_wise_not(data)


def shift_left(data: Any, count: Any) -> Any:
    """Shifted left by `count` bits."""
    return _shift_unsigned(pc.shift_left, data, count)


def shift_right(data: Any, count: Any) -> Any:
    """Shifted right by `count` bits, filled with the sign."""
    steps = _steps(count, data.type)
    # in two steps, since pyarrow does not shift a signed integer by all but one of its bits
    half = pc.shift_right(steps, pa.scalar(1, steps.type))
    return pc.shift_right(pc.shift_right(data, half), pc.subtract(steps, half))


def shift_right_unsigned(data: Any, count: Any) -> Any:
    """Shifted right by `count` bits, filled with zeros."""
    return _shift_unsigned(pc.shift_right, data, count)


def leading_zeros(data: Any) -> Any:
    """The number of zeros above the highest bit of int64 `data`; 64 for 0."""
    words = views.values(data).view(np.uint64)
    # With no bit below the highest one, a double is not rounded to the next power of two.
    doubles = (words & ~(words >> np.uint64(1))).astype(np.float64)
    zeros = _EXPONENT_OF_HIGHEST - (doubles.view(np.int64) >> _EXPONENT)
    return views.array(np.minimum(zeros, 64, out=zeros), data.type, data)


def _shift_unsigned(shift: Callable[[Any, Any], Any], data: Any, count: Any) -> Any:
    unsigned = _UNSIGNED[data.type]
    column = views.full(data, views.row_count(data, count))
    return shift(column.view(unsigned), _steps(count, data.type).cast(unsigned)).view(data.type)


def _steps(count: Any, data_type: pa.DataType) -> Any:
    """The bits of `count` that count for a shift of the type, in that type."""
    return pc.bit_wise_and(count, pa.scalar(data_type.bit_width - 1, count.type)).cast(data_type)
