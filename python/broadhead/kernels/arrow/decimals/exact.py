"""Exact arithmetic on unscaled data of any size, with Python's integers.

Slow and rarely used: for quotients of more than 64 bits, and for results beyond 256 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED
from broadhead.kernels.arrow.decimals import wide
from broadhead.types import MAX_LONG_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Array = Any
Data = Any
Checked = tuple[Array, Array | None]


def integers(data: Data, length: int) -> list[int | None]:
    """Unscaled data as Python integers; a scalar `length` times."""
    if isinstance(data, pa.Scalar):
        value = data.as_py()
        return [None if value is None else int(value)] * length
    if wide.is_wide(data):
        words = views.limbs(data)
        low, high = words[:, 0].view(np.uint64), words[:, 1]
        numbers = [(h << 64) | w for h, w in zip(high.tolist(), low.tolist(), strict=True)]
    else:
        numbers = views.values(data).tolist()
    if not data.null_count:
        return list(numbers)
    valid = data.is_valid().to_pylist()
    return [number if ok else None for number, ok in zip(numbers, valid, strict=True)]


def map_integers(
    function: Callable[..., int | None], data: Sequence[Data], precision: int
) -> Checked:
    """`function` of each row's values, with None for null; fails above `precision` digits."""
    length = next(len(d) for d in data if not isinstance(d, pa.Scalar))
    limit = 10**precision
    results: list[int | None] = []
    failed: list[bool] = []
    for row in zip(*(integers(d, length) for d in data), strict=True):
        result = None if None in row else function(*row)
        too_long = result is not None and not -limit < result < limit
        failed.append(too_long)
        results.append(None if too_long else result)
    mask = pa.array(failed, pa.bool_()) if any(failed) else None
    return from_integers(results, precision), mask


def from_integers(numbers: Sequence[int | None], precision: int) -> Array:
    """Python integers as unscaled data, in 64 bits if they fit."""
    if precision <= MAX_LONG_DIGITS:
        return pa.array(numbers, pa.int64())
    words = np.zeros((len(numbers), 2), np.uint64)
    for number, value in enumerate(numbers):
        if value is not None:
            words[number, 0] = value & (2**64 - 1)
            words[number, 1] = (value >> 64) & (2**64 - 1)
    valid = np.array([value is not None for value in numbers], dtype=bool)
    bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    return wide.narrowest(
        pa.Array.from_buffers(UNSCALED, len(numbers), [bitmap, pa.py_buffer(words)])
    )


def round_half_up(numerator: int, denominator: int) -> int:
    """The quotient rounded to the nearest integer, away from zero at a tie."""
    quotient, rest = divmod(abs(numerator), abs(denominator))
    if 2 * rest >= abs(denominator):
        quotient += 1
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def truncate(numerator: int, denominator: int) -> int:
    """The quotient rounded toward zero."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def rescaled(value: int, digits: int) -> int:
    """`value` times 10^digits, rounded HALF_UP."""
    return value * 10**digits if digits >= 0 else round_half_up(value, 10**-digits)
