"""Murmur3 like Spark's, on numpy arrays of unsigned 32-bit integers.

The hashes of a column replace the seeds: all functions overwrite `hashes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_C1 = np.uint32(0xCC9E2D51)
_C2 = np.uint32(0x1B873593)
_N = np.uint32(0xE6546B64)
_F1 = np.uint32(0x85EBCA6B)
_F2 = np.uint32(0xC2B2AE35)
_FIVE = np.uint32(5)
_WORD = 4
_FEW_ROWS = 32
"""Number of rows below which a loop over rows is faster than one vector step."""


def hash_ints(hashes: Any, values: Any) -> None:
    """Spark's `hashInt` of uint32 values."""
    _mix(hashes, values)
    _finish(hashes, np.uint32(4))


def hash_longs(hashes: Any, values: Any) -> None:
    """Spark's `hashLong` of uint64 values."""
    _mix(hashes, values.astype(np.uint32))
    _mix(hashes, (values >> np.uint64(32)).astype(np.uint32))
    _finish(hashes, np.uint32(8))


def hash_bytes(hashes: Any, content: Any, starts: Any, lengths: Any) -> None:
    """Spark's `hashUnsafeBytes` of the bytes [start, start + length) of `content` (uint8).

    Whole words first, then each remaining byte as a signed word.
    """
    if not len(starts):
        return
    if lengths.min() == lengths.max():
        _hash_sorted(hashes, content, starts, lengths)
        return
    # rows sorted by length: the rows with another word are then always the last ones
    narrow = lengths.astype(np.uint16) if lengths.max() < 1 << 16 else lengths
    order = np.argsort(narrow, kind="stable")
    sorted_hashes = hashes[order]
    _hash_sorted(sorted_hashes, content, starts[order], lengths[order])
    hashes[order] = sorted_hashes


def _hash_sorted(hashes: Any, content: Any, starts: Any, lengths: Any) -> None:
    aligned = lengths & ~np.int64(_WORD - 1)
    words = _words(content)
    step = _step(starts) if lengths[0] == lengths[-1] else None
    if step is None:
        words = words.copy()  # numpy gathers twice as fast from aligned memory
    position = first = 0
    while True:
        first = int(np.searchsorted(aligned, position, "right"))
        if len(aligned) - first < _FEW_ROWS:
            break
        _mix(hashes[first:], _at(words, starts[first:], position, step))
        position += _WORD
    for row in range(first, len(aligned)):
        start, end = starts[row] + position, starts[row] + aligned[row]
        hashes[row] = _chain(hashes[row], content[start:end])
    tails = lengths - aligned
    signed = content.view(np.int8)
    for number in range(_WORD - 1):
        rows = np.flatnonzero(tails > number)
        if len(rows) == len(tails):
            _mix(hashes, _word(_at(signed, starts + aligned, number, step)))
        elif len(rows):
            mixed = hashes[rows]
            _mix(mixed, _word(signed.take(starts[rows] + aligned[rows] + number)))
            hashes[rows] = mixed
    _finish(hashes, lengths.astype(np.uint32))


def _step(starts: Any) -> int | None:
    """The distance between consecutive starts if it is constant, otherwise None."""
    steps = np.diff(starts)
    if not len(steps):
        return 1
    step = int(steps[0])
    return step if step > 0 and (steps == step).all() else None


def _at(values: Any, starts: Any, position: int, step: int | None) -> Any:
    """The values at `starts + position`."""
    if step is None:
        return values.take(starts + position, mode="clip")
    first = int(starts[0]) + position
    return values[first : first + step * (len(starts) - 1) + 1 : step]


def _word(signed: Any) -> Any:
    return signed.astype(np.int32).view(np.uint32)


def _words(content: Any) -> Any:
    """The four bytes from each position of `content`, as one number."""
    count = len(content) - _WORD + 1
    if count <= 0:
        return np.zeros(0, np.uint32)
    first = np.ndarray((1,), np.uint32, content.data)
    return np.lib.stride_tricks.as_strided(first, (count,), (1,), writeable=False)


def _chain(hash_: Any, content: Any) -> Any:
    """The hash of one long string, computed word by word."""
    mixed = _scramble(np.frombuffer(content.tobytes(), np.uint32))
    value = int(hash_)
    for word in mixed.tolist():
        value ^= word
        value = ((value << 13 | value >> 19) * 5 + 0xE6546B64) & 0xFFFFFFFF
    return np.uint32(value)


def _scramble(words: Any) -> Any:
    mixed = words * _C1
    high = mixed << np.uint32(15)
    mixed >>= np.uint32(17)
    mixed |= high
    mixed *= _C2
    return mixed


def _mix(hashes: Any, words: Any) -> None:
    hashes ^= _scramble(words)
    high = hashes << np.uint32(13)
    hashes >>= np.uint32(19)
    hashes |= high
    hashes *= _FIVE
    hashes += _N


def _finish(hashes: Any, lengths: Any) -> None:
    hashes ^= lengths
    hashes ^= hashes >> np.uint32(16)
    hashes *= _F1
    hashes ^= hashes >> np.uint32(13)
    hashes *= _F2
    hashes ^= hashes >> np.uint32(16)
