"""Exact sums, products, quotients and rounding of unscaled data beyond 64 bits, computed in 256.

pyarrow refuses operands whose digits could add up to more than 76, whatever their values, so
operands are declared shorter than they may be; the arithmetic itself is that of all 256 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic, views, wide
from broadhead.kernels.arrow.layout import UNSCALED

Array = Any
Data = Any
Checked = tuple[Array, Array | None]

LIMIT = 2**255
DIVIDEND_LIMIT = 10**68
_DIGITS = 76
_BROAD = pa.decimal256(_DIGITS, 0)
_TERM = pa.decimal256(_DIGITS - 1, 0)
_DIVIDEND, _DIVISOR = pa.decimal256(72, 0), pa.decimal256(1, 0)
_QUOTIENT_DIGITS = 4
_FACTORS = (pa.decimal256(37, 0), pa.decimal256(38, 0))


def add(left: Data, right: Data) -> Array:
    """The sum as 256-bit data."""
    return pc.add(_declare(left, _TERM), _declare(right, _TERM))


def subtract(left: Data, right: Data) -> Array:
    """The difference as 256-bit data."""
    return pc.subtract(_declare(left, _TERM), _declare(right, _TERM))


def multiply(left: Data, right: Data) -> Array:
    """The product as 256-bit data."""
    first, second = _FACTORS
    return pc.multiply(_declare(left, first), _declare(right, second))


def times(data: Data, factor: int) -> Data:
    """The data as 256 bits, times a constant."""
    if factor == 1:
        return _declare(data, _BROAD)
    return _declare(multiply(data, _constant(factor)), _BROAD)


def divide(left: Data, right: Data, digits: int) -> Array:
    """10^digits times the quotient, rounded HALF_UP, as 256-bit data; `right` is never zero.

    `left` times 10^digits must be below DIVIDEND_LIMIT, and `digits` not negative.
    """
    # pyarrow's quotient has four digits after the point, of which rounding needs but one
    shift = max(digits + 1 - _QUOTIENT_DIGITS, 0)
    dividend = _declare(times(left, 10**shift), _DIVIDEND)
    quotient = pc.divide(dividend, _declare(right, _DIVISOR))
    return _rounded(quotient.view(_BROAD), shift + quotient.type.scale - digits)


def rescale(data: Array, digits: int, precision: int) -> Checked:
    """The data times 10^digits, rounded HALF_UP; fails above `precision` digits."""
    if digits > 0:
        data = times(data, 10**digits)
    elif digits < 0:
        data = _rounded(_declare(data, _BROAD), -digits)
    return _fitting(_declare(data, _BROAD), precision)


def _rounded(data: Array, digits: int) -> Array:
    """The data without the last digits: half a unit further from zero, then truncated."""
    half = _constant(5 * 10 ** (digits - 1))
    negative = pc.less(data, _constant(0))
    moved = pc.if_else(negative, subtract(data, half).view(_BROAD), add(data, half).view(_BROAD))
    return moved.view(pa.decimal256(_DIGITS, digits)).cast(_BROAD, safe=False)


def _fitting(data: Array, precision: int) -> Checked:
    beyond = pc.greater(pc.abs(data), _constant(10**precision - 1))
    mask = logic.is_true(beyond) if logic.any(beyond) else None
    if mask is not None:
        data = logic.null_where(data, mask)
    low = np.ascontiguousarray(views.limbs(data)[:, :2])
    return wide.narrowest(views.array(low, UNSCALED, data)), mask


def _constant(value: int) -> pa.Scalar:
    words = value.to_bytes(_BROAD.bit_width // 8, "little", signed=True)
    return pa.Array.from_buffers(_BROAD, 1, [None, pa.py_buffer(words)])[0]


def _declare(data: Data, type: pa.DataType) -> Data:
    """256-bit data of the same values, said to have the digits of `type`."""
    if isinstance(data, pa.Scalar):
        if not data.is_valid:
            return pa.scalar(None, type)
        return _declare(pa.repeat(data, 1), type)[0]
    if not pa.types.is_decimal256(data.type):
        data = wide.widen(data).cast(_BROAD)
    return data.view(type)
