"""Exact sums, products, quotients and rounding of unscaled data beyond 64 bits, in 256 bits.

pyarrow rejects operands whose declared digits add up to more than 76. So operands are declared with
fewer digits than they may have; the arithmetic itself uses all 256 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED
from broadhead.kernels.arrow.decimals import wide

Array = Any
Data = Any
Checked = tuple[Array, Array | None]

LIMIT = 2**255
DIVIDEND_LIMIT = 10**68
_DIGITS = 76
_BROAD = pa.decimal256(_DIGITS, 0)
_BYTES = _BROAD.bit_width // 8
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
    # pyarrow's quotient has four digits after the point; rounding needs one of them
    shift = max(digits + 1 - _QUOTIENT_DIGITS, 0)
    dividend = times(left, 10**shift)
    quotient = pc.divide(_declare(dividend, _DIVIDEND), _declare(right, _DIVISOR))
    divided = times(dividend, 10**quotient.type.scale)
    exact = _corrected(quotient.view(_BROAD), divided, _declare(right, _BROAD))
    return _rounded(exact, shift + quotient.type.scale - digits)


def rescale(data: Array, digits: int, precision: int) -> Checked:
    """The data times 10^digits, rounded HALF_UP; fails above `precision` digits."""
    if digits > 0:
        data = times(data, 10**digits)
    elif digits < 0:
        data = _rounded(_declare(data, _BROAD), -digits)
    return _fitting(_declare(data, _BROAD), precision)


def _rounded(data: Array, digits: int) -> Array:
    """The data without the last digits, HALF_UP: half a unit is added, the sum truncated."""
    half = _constant(5 * 10 ** (digits - 1))
    negative = pc.less(data, _constant(0))
    moved = pc.if_else(negative, subtract(data, half).view(_BROAD), add(data, half).view(_BROAD))
    truncated = moved.view(pa.decimal256(_DIGITS, digits)).cast(_BROAD, safe=False)
    return _corrected(truncated, moved, _constant(10**digits))


def _corrected(quotient: Array, dividend: Array, divisor: Data) -> Array:
    """The dividend divided by the divisor, truncated toward zero; no divisor is zero.

    pyarrow's quotients of 256-bit decimals, and so its casts to fewer digits, are wrong by a few
    units for some values (about 9.9e65 / 1e28). So they are only a first estimate here.
    """
    size = pc.abs(divisor)
    covered = _declare(multiply(pc.abs(quotient), size), _BROAD)
    rest = _declare(subtract(pc.abs(dividend), covered), _BROAD)
    wrong = pc.or_(pc.less(rest, _constant(0)), pc.greater_equal(rest, size))
    if not logic.any(wrong):
        return quotient
    words = views.limbs(quotient).copy()
    rows = np.flatnonzero(views.values(logic.is_true(wrong)))
    divisors = views.limbs(views.full(divisor, len(dividend)))
    for row, a, b in zip(rows, views.limbs(dividend)[rows], divisors[rows], strict=True):
        exact = _truncated(_integer(a), _integer(b)).to_bytes(_BYTES, "little", signed=True)
        words[row] = np.frombuffer(exact, np.int64)
    return views.array(words, _BROAD, quotient)


def _truncated(dividend: int, divisor: int) -> int:
    size = abs(dividend) // abs(divisor)
    return size if (dividend < 0) == (divisor < 0) else -size


def _integer(words: Any) -> int:
    return int.from_bytes(words.tobytes(), "little", signed=True)


def _fitting(data: Array, precision: int) -> Checked:
    beyond = pc.greater(pc.abs(data), _constant(10**precision - 1))
    mask = logic.is_true(beyond) if logic.any(beyond) else None
    if mask is not None:
        data = logic.null_where(data, mask)
    low = np.ascontiguousarray(views.limbs(data)[:, :2])
    return wide.narrowest(views.array(low, UNSCALED, data)), mask


def _constant(value: int) -> pa.Scalar:
    words = value.to_bytes(_BYTES, "little", signed=True)
    return pa.Array.from_buffers(_BROAD, 1, [None, pa.py_buffer(words)])[0]


def _declare(data: Data, data_type: pa.DataType) -> Data:
    """The same values as 256-bit data, declared with the digits of `data_type`."""
    if isinstance(data, pa.Scalar):
        if not data.is_valid:
            return pa.scalar(None, data_type)
        return _declare(pa.repeat(data, 1), data_type)[0]
    if not pa.types.is_decimal256(data.type):
        data = wide.widen(data).cast(_BROAD)
    return data.view(data_type)
