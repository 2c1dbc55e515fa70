"""Substrings: ranges of bytes and of characters of strings, for all rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views

Array = Any
Numbers = np.ndarray[Any, Any]

_LEAST_FIRST_BYTE = -64
"""As int8, the bytes that continue a character are less than all others."""
_MOST_BYTES = (1 << 31) - 1


def content(data: Array) -> Numbers:
    """The bytes of the memory of strings or binaries, to which their offsets point."""
    buffer = data.buffers()[2]
    return np.frombuffer(b"" if buffer is None else buffer, np.uint8)


def is_ascii(data: Array) -> bool:
    """Whether all bytes of the rows, including those under nulls, are ASCII."""
    bounds = views.offsets(data)
    here = content(data)[bounds[0] : bounds[-1]]
    return not len(here) or bool(here.max() < 0x80)


def substrings(data: Array, starts: Numbers, ends: Numbers) -> Array:
    """Of each row the bytes between two offsets into the memory, null where the row is null.

    The offsets lie within their rows. So the substrings and what is between them are the rows of
    one string array over the same memory, of which each second one is taken.
    """
    rows = len(data)
    if not rows:
        return data
    bounds = np.empty(2 * rows, np.int32)
    bounds[0::2] = starts
    bounds[1::2] = ends
    indices = pa.array(np.arange(0, 2 * rows, 2))
    taken = _over(data, bounds, 2 * rows - 1).take(indices)
    return pa.Array.from_buffers(
        data.type, rows, [views.validity([data]), *taken.buffers()[1:]], -1, taken.offset
    )


def consecutive(data: Array, bounds: Numbers) -> Array:
    """The strings between successive offsets into the memory of `data`."""
    return _over(data, bounds.astype(np.int32), len(bounds) - 1)


def _over(data: Array, bounds: Numbers, rows: int) -> Array:
    buffer = data.buffers()[2] or pa.py_buffer(b"")
    return pa.Array.from_buffers(data.type, rows, [None, pa.py_buffer(bounds), buffer], 0)


def of_content(characters: Numbers, lengths: Numbers, data_type: Any, *sources: Array) -> Array:
    """Strings or binaries that stand one after another, null where a source is null."""
    bounds = bounds_of(lengths)
    return pa.Array.from_buffers(
        data_type,
        len(lengths),
        [views.validity(sources), pa.py_buffer(bounds), pa.py_buffer(characters)],
    )


def bounds_of(lengths: Numbers) -> Numbers:
    """The offsets of strings of these lengths.

    Raises `EngineLimit` if they have more than 2**31 bytes together.
    """
    total = int(lengths.sum(dtype=np.int64))
    if total > _MOST_BYTES:
        raise EngineLimit(f"{len(lengths)} strings of {total} bytes together")
    bounds = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


class Characters:
    """Where the characters of strings of valid UTF-8 are.

    `first` is the number of each row's first character, of all characters in the memory of the
    rows, and `counts` says how many characters each row has.
    """

    def __init__(self, data: Array) -> None:
        bounds = views.offsets(data).astype(np.int64)
        self._starts: Numbers | None = None
        self._base = int(bounds[0])
        if is_ascii(data):
            numbers = bounds - self._base
        else:
            here = content(data)[bounds[0] : bounds[-1]].view(np.int8)
            starts = np.flatnonzero(here >= _LEAST_FIRST_BYTE)
            numbers = np.searchsorted(starts, bounds - self._base)
            self._starts = np.append(starts, len(here))
        self.first = numbers[:-1]
        self.counts = np.diff(numbers)

    def offsets(self, numbers: Numbers) -> Numbers:
        """The offset into the memory of each character, by its number."""
        if self._starts is None:
            return numbers + self._base
        return self._starts[numbers] + self._base


def between_characters(data: Array, starts: Numbers, stops: Numbers) -> Array:
    """Of each row the characters from one position up to another, both from 0 and of any size.

    Positions before the first character and behind the last one are those of the row's ends.
    """
    characters = Characters(data)
    low = np.clip(starts, 0, characters.counts)
    high = np.maximum(np.clip(stops, 0, characters.counts), low)
    first = characters.first
    return substrings(data, characters.offsets(first + low), characters.offsets(first + high))


def characters_before(data: Array, sizes: Numbers) -> Numbers:
    """How many characters a row has in its first bytes, of which `sizes` says the number."""
    if is_ascii(data):
        return sizes
    starts = views.offsets(data)[:-1]
    before = substrings(data, starts, starts + sizes)
    counts: Numbers = views.values(pc.fill_null(pc.utf8_length(before), 0))
    return counts
