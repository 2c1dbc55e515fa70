"""CRC-32 of many strings at once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.substrings import content

Array = Any
Numbers = np.ndarray[Any, Any]

_POLYNOMIAL = np.uint32(0xEDB88320)
_ALL_BITS = np.uint32(0xFFFFFFFF)
_WORD = 4


def crc32(data: Array) -> Numbers:
    """The CRC-32 of each string, as int64; fast where no string is long."""
    of_byte, low, high = _tables()
    bounds = views.offsets(data).astype(np.int64)
    starts, lengths = bounds[:-1], np.diff(bounds)
    here = content(data)
    state = np.full(len(data), _ALL_BITS)
    rest = lengths % _WORD
    for number in range(_WORD - 1):
        rows = np.flatnonzero(rest > number)
        before = state[rows]
        byte = (before ^ here[starts[rows] + number]) & np.uint32(0xFF)
        state[rows] = of_byte[byte] ^ (before >> np.uint32(8))
    words, starts = _words(here), starts + rest
    counts = lengths // _WORD
    rows = np.arange(len(data))
    for number in range(int(counts.max(initial=0))):
        rows = rows[counts[rows] > number]
        both = state[rows] ^ words[starts[rows] + number * _WORD]
        state[rows] = low[both & np.uint32(0xFFFF)] ^ high[both >> np.uint32(16)]
    return (state ^ _ALL_BITS).astype(np.int64)


def _words(here: Numbers) -> Numbers:
    """The four bytes from each offset on, as a little-endian number."""
    count = max(len(here) - _WORD + 1, 0)
    words: Numbers = np.ndarray(count, np.dtype("<u4"), buffer=here, strides=(1,))
    return words


@cache
def _tables() -> tuple[Numbers, Numbers, Numbers]:
    """What a byte, and each half of a word, adds to the state."""
    of_byte = _shifted(np.arange(256, dtype=np.uint32), 8)
    halves = np.arange(1 << 16, dtype=np.uint32)
    return of_byte, _shifted(halves, 32), _shifted(halves, 16)


def _shifted(state: Numbers, bits: int) -> Numbers:
    """The state so many bits later."""
    for _ in range(bits):
        state = (state >> np.uint32(1)) ^ np.where(state & np.uint32(1), _POLYNOMIAL, np.uint32(0))
    return state
