"""Bits as digits in the bases 2 and 16, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.groups import in_groups
from broadhead.kernels.arrow.text.substrings import of_content, substrings

Array = Any
Numbers = np.ndarray[Any, Any]

HEX_OF_BYTE = np.frombuffer("".join(f"{byte:02X}" for byte in range(256)).encode(), np.uint16)
_DIGITS_OF_BYTE: dict[int, Numbers] = {
    1: np.frombuffer("".join(f"{byte:08b}" for byte in range(256)).encode(), np.uint64),
    4: HEX_OF_BYTE,
}
_NO_DIGIT = 0x80
_BITS_OF_DIGIT = np.full(256, _NO_DIGIT, np.uint8)
_BITS_OF_DIGIT[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_BITS_OF_DIGIT[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)
_MOST_BYTES = (1 << 31) - 1
_EXPONENT_OF_ONE = 1022


def digits(data: Array, bits: int) -> Array:
    """The bits of an int64 without leading zeros, 1 or 4 of them in a digit."""
    rows, width = len(data), 64 // bits
    if rows * width > _MOST_BYTES:
        raise EngineLimit(f"digits of {rows} numbers")
    values = views.values(data).view(np.uint64)
    every = _DIGITS_OF_BYTE[bits][values.byteswap().view(np.uint8)]
    bounds = np.arange(0, (rows + 1) * width, width, dtype=np.int32)
    buffers = [views.validity([data]), pa.py_buffer(bounds), pa.py_buffer(every)]
    padded = pa.Array.from_buffers(pa.string(), rows, buffers)
    shown = np.maximum((bit_lengths(values) + (bits - 1)) // bits, 1)
    return substrings(padded, bounds[1:] - shown, bounds[1:])


def bytes_of(data: Array) -> tuple[Array, Array | None]:
    """The bytes of hexadecimal digits, and the rows with other characters, which are null.

    Of an odd number of digits, the first one is a byte alone.
    """
    groups, counts = in_groups(data, 2, ord("0"), front=True)
    halves = _BITS_OF_DIGIT[groups]
    found = of_content((halves[:, 0] << 4) | halves[:, 1], counts, pa.binary(), data)
    wrong = np.flatnonzero((halves[:, 0] | halves[:, 1]) & _NO_DIGIT)
    if not len(wrong):
        return found, None
    failed = np.zeros(len(data), bool)
    failed[np.searchsorted(np.cumsum(counts), wrong, side="right")] = True
    mask = views.array(failed, pa.bool_(), data)
    return logic.null_where(found, mask), pc.fill_null(mask, False)


def bit_lengths(values: Numbers) -> Numbers:
    """How many bits each uint64 has without leading zeros."""
    # Without the bit below the first one, no rounding to a double reaches the next power of two.
    powers = (values & ~(values >> np.uint64(1))).astype(np.float64)
    exponents = (powers.view(np.int64) >> 52).astype(np.int32) - _EXPONENT_OF_ONE
    lengths: Numbers = np.maximum(exponents, 0)
    return lengths
