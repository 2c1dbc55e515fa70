"""Digits of one base in another one, for many strings at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text import bit_digits
from broadhead.kernels.arrow.text.groups import in_groups
from broadhead.kernels.arrow.text.substrings import of_content, substrings

Array = Any
Numbers = np.ndarray[Any, Any]

_DIGITS = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", np.uint8)
_NO_DIGIT = 99
_VALUES = np.full(256, _NO_DIGIT, np.uint8)
_VALUES[_DIGITS] = np.arange(36)
_VALUES[ord("a") : ord("z") + 1] = np.arange(10, 36)
_END = 1 << 63
_BITS = {2: 1, 16: 4}


def converted(data: Array, base: int, to: int) -> tuple[Array, Numbers]:
    """The digits in another base, and in which rows they are: of plain digits below 2**63."""
    lengths = np.diff(views.offsets(data))
    valid = pc.is_valid(data).to_numpy(zero_copy_only=False)
    taken = valid & (lengths > 0) & (lengths <= _most_digits(base))
    plain = data.filter(pa.array(taken))
    if not len(plain):
        return data, taken
    width = int(np.diff(views.offsets(plain)).max())
    characters, _ = in_groups(plain, width, _DIGITS[0], front=True)
    digits = _VALUES[characters]
    values = np.zeros(len(plain), np.int64)
    for column in digits.T:
        values = values * base + column
    good = (digits < base).all(axis=1)
    texts = _texts(pa.array(np.where(good, values, 0)), to)
    if len(plain) < len(data):
        texts = texts.take(pa.array(np.maximum(np.cumsum(taken) - 1, 0)))
    taken[taken] = good
    return texts, taken


def _most_digits(base: int) -> int:
    """How many digits always stay below 2**63."""
    digits = 0
    while base ** (digits + 1) <= _END:
        digits += 1
    return digits


def _texts(values: Array, base: int) -> Array:
    """The digits of numbers that are not negative."""
    if base in _BITS:
        return bit_digits.digits(values, _BITS[base])
    if base == 10:
        return pc.cast(values, pa.string())
    rest = views.values(values)
    lengths = np.ones(len(rest), np.int64)
    columns: list[Numbers] = []
    while not columns or rest.any():
        lengths += rest >= base
        rest, digit = np.divmod(rest, base)
        columns.append(_DIGITS[digit])
    width = len(columns)
    characters = np.stack(columns[::-1], axis=1).reshape(-1)
    padded = of_content(characters, np.full(len(rest), width), pa.string())
    ends = views.offsets(padded)[1:]
    return substrings(padded, ends - lengths, ends)
