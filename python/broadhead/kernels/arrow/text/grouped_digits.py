"""Digits of numbers in groups of three."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views

Array = Any

_POWERS = 10 ** np.arange(1, 19, dtype=np.int64)
_GROUPS = np.frombuffer("".join(f",{n:03d}" for n in range(1_000)).encode(), np.uint8).reshape(
    -1, 4
)
"""The characters of each group with the comma before it."""
_MOST_BYTES = (1 << 31) - 1


def grouped_digits(data: Array) -> Array:
    """Digits of longs that are not negative, with commas between groups of three."""
    numbers = views.values(data)
    valid = views.valid(data)
    if valid is not None:
        numbers = np.where(valid, numbers, 0)
    groups = len(str(int(numbers.max(initial=0)))) // 3 + 1
    characters = np.empty((len(numbers), groups, 4), np.uint8)
    rest = numbers
    for group in range(groups - 1, -1, -1):
        higher = rest // 1_000
        characters[:, group] = _GROUPS[rest - higher * 1_000]
        rest = higher
    digits = np.searchsorted(_POWERS, numbers, side="right") + 1
    lengths = digits + (digits - 1) // 3
    shown = np.arange(groups * 4) >= (groups * 4 - lengths)[:, None]
    content = characters.reshape(len(numbers), groups * 4)[shown]
    if len(content) > _MOST_BYTES:
        raise EngineLimit(f"{len(numbers)} numbers in groups of digits have {len(content)} bytes")
    offsets = np.zeros(len(numbers) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    buffers = [views.validity([data]), pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(numbers), buffers)
