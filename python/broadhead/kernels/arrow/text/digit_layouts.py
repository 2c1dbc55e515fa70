"""Texts of numbers with a fixed number of digits, and of ASCII texts between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views

Array = Any

_MOST_BYTES = (1 << 31) - 1
_TABLE_DIGITS = 4


def digit_texts(numbers: Sequence[Array], layout: Sequence[str | int]) -> Array:
    """Texts of a layout: its texts, and each number with so many digits."""
    rows = len(numbers[0])
    width = sum(len(part) if isinstance(part, str) else part for part in layout)
    if rows * width > _MOST_BYTES:
        raise EngineLimit(f"{rows} texts of {width} bytes")
    characters = np.empty((rows, width), np.uint8)
    columns = iter(numbers)
    position = 0
    for part in layout:
        if isinstance(part, str):
            characters[:, position : position + len(part)] = np.frombuffer(part.encode(), np.uint8)
            position += len(part)
            continue
        for digits, values in _digit_groups(next(columns), part):
            characters[:, position : position + digits] = _table(digits)[values]
            position += digits
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    buffers = [views.validity(numbers), pa.py_buffer(offsets), pa.py_buffer(characters)]
    return pa.Array.from_buffers(pa.string(), rows, buffers)


def _digit_groups(data: Array, digits: int) -> Iterator[tuple[int, Any]]:
    """Parts of so many digits that tables have their texts; 0 for nulls."""
    values, valid = views.values(data), views.valid(data)
    rest = values if valid is None else np.where(valid, values, 0)
    while digits > _TABLE_DIGITS:
        half = min(digits - digits // 2, _TABLE_DIGITS)
        digits -= half
        power = 10**digits
        first = rest // power
        yield half, first
        rest = rest - first * power
    yield digits, rest


@cache
def _table(digits: int) -> Any:
    """The characters of all numbers of so many digits."""
    texts = "".join(f"{number:0{digits}d}" for number in range(10**digits))
    return np.frombuffer(texts.encode(), np.uint8).reshape(-1, digits)
