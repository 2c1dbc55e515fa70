"""Spark's random values other than uniform numbers, many at a time."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.strict_log import strict_log
from broadhead.kernels.xorshift import XorShiftRandom

_CHARACTERS = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAIRS = 1 << 14
"""Pairs of uniform numbers that are drawn at once."""

_UUID_LENGTH = 36
_UUID_ROWS = 1 << 13
"""UUIDs that are made at once: their bytes stay in the processor's caches."""


class Gaussians:
    """The results of `nextGaussian` of Spark's generator: Java's polar method."""

    def __init__(self, seed: int) -> None:
        self._random = XorShiftRandom(seed)
        self._waiting: Any = np.empty(0)

    def take(self, count: int) -> Any:
        """The next `count` numbers, a float64 array."""
        parts = [self._waiting]
        size = len(self._waiting)
        while size < count:
            parts.append(self._some())
            size += len(parts[-1])
        numbers = np.concatenate(parts)
        self._waiting = numbers[count:]
        return numbers[:count]

    def _some(self) -> Any:
        points = 2 * self._random.doubles(2 * _PAIRS).reshape(-1, 2) - 1
        squares = points[:, 0] * points[:, 0] + points[:, 1] * points[:, 1]
        inside = (squares < 1) & (squares != 0)
        points, squares = points[inside], squares[inside]
        return (points * np.sqrt(-2 * strict_log(squares) / squares)[:, None]).ravel()


class Texts:
    """The results of `randstr`: letters and digits, one random integer for each."""

    def __init__(self, seed: int, length: int) -> None:
        self._random = XorShiftRandom(seed)
        self._length = length

    def take(self, count: int) -> pa.Array:
        """The next `count` texts."""
        numbers = self._random.integers(count * self._length).astype(np.int64)
        letters = np.frombuffer(_CHARACTERS, np.uint8)[np.abs(numbers) % len(_CHARACTERS)]
        return _texts(letters, self._length, count)


class Uuids:
    """The results of `uuid`, whose generator is a Mersenne Twister seeded by two words."""

    def __init__(self, seed: int) -> None:
        seed &= (1 << 64) - 1
        self._random = np.random.RandomState(np.array([seed >> 32, seed & 0xFFFFFFFF]))

    def take(self, count: int) -> pa.Array:
        """The next `count` texts."""
        letters = np.empty((count, _UUID_LENGTH), np.uint8)
        for start in range(0, count, _UUID_ROWS):
            self._write(letters[start : start + _UUID_ROWS])
        return _texts(letters, _UUID_LENGTH, count)

    def _write(self, letters: Any) -> None:
        count = len(letters)
        octets = np.frombuffer(self._random.bytes(16 * count), "<u4").astype(">u4").view(np.uint8)
        octets = octets.reshape(-1, 16)
        octets[:, 6] = octets[:, 6] & 0x0F | 0x40
        octets[:, 8] = octets[:, 8] & 0x3F | 0x80
        digits = _hexadecimal()[octets].view(np.uint8)
        letters[...] = ord("-")
        for hyphens, (start, end) in enumerate(pairwise((0, 8, 12, 16, 20, 32))):
            letters[:, start + hyphens : end + hyphens] = digits[:, start:end]


@cache
def _hexadecimal() -> Any:
    """The two digits of each octet, as one number."""
    digits = "".join(f"{octet:02x}" for octet in range(256)).encode()
    return np.frombuffer(digits, np.uint16)


def _texts(letters: Any, length: int, count: int) -> pa.Array:
    """Texts of one length, from their ASCII characters."""
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(length)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(letters))]
    return pa.Array.from_buffers(pa.string(), count, buffers)
