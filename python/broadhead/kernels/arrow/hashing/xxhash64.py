"""XXH64 like Spark's, on numpy arrays of unsigned 64-bit integers.

The hashes of a column replace the seeds: all functions overwrite `hashes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_P1 = np.uint64(0x9E3779B185EBCA87)
_P2 = np.uint64(0xC2B2AE3D27D4EB4F)
_P3 = np.uint64(0x165667B19E3779F9)
_P4 = np.uint64(0x85EBCA77C2B2AE63)
_P5 = np.uint64(0x27D4EB2F165667C5)
_P1_AND_P2 = np.uint64((0x9E3779B185EBCA87 + 0xC2B2AE3D27D4EB4F) % (1 << 64))
_WORD, _HALF_WORD, _STRIPE = 8, 4, 32
_ROTATIONS = (1, 7, 12, 18)


def hash_ints(hashes: Any, values: Any) -> None:
    """Spark's `hashInt` of uint32 values."""
    hashes += _P5 + np.uint64(_HALF_WORD)
    _mix_half(hashes, values)
    _finish(hashes)


def hash_longs(hashes: Any, values: Any) -> None:
    """Spark's `hashLong` of uint64 values."""
    hashes += _P5 + np.uint64(_WORD)
    _mix_word(hashes, values)
    _finish(hashes)


def hash_bytes(hashes: Any, content: Any, starts: Any, lengths: Any) -> None:
    """Spark's `hashUnsafeBytes` of the bytes [start, start + length) of `content` (uint8)."""
    if not len(starts):
        return
    words, halves = _units(content, np.uint64), _units(content, np.uint32)
    _mix_stripes(hashes, words, starts, lengths)
    hashes += lengths.astype(np.uint64)
    rest = lengths % _STRIPE
    position = starts + lengths - rest
    for number in range(_STRIPE // _WORD - 1):
        rows = np.flatnonzero(rest // _WORD > number)
        _mixed(hashes, rows, words, position + number * _WORD, _mix_word)
    position += rest // _WORD * _WORD
    rest %= _WORD
    rows = np.flatnonzero(rest >= _HALF_WORD)
    _mixed(hashes, rows, halves, position, _mix_half)
    position += rest // _HALF_WORD * _HALF_WORD
    rest %= _HALF_WORD
    for number in range(_HALF_WORD - 1):
        rows = np.flatnonzero(rest > number)
        _mixed(hashes, rows, content, position + number, _mix_byte)
    _finish(hashes)


def _mix_stripes(hashes: Any, words: Any, starts: Any, lengths: Any) -> None:
    """Four lanes of words for the texts of 32 bytes and more; a prime for the others."""
    rows = np.flatnonzero(lengths >= _STRIPE)
    seeds = hashes[rows]
    hashes += _P5
    if not len(rows):
        return
    # rows sorted by length: the rows with another stripe are then always the last ones
    order = np.argsort(lengths[rows], kind="stable")
    rows, seeds = rows[order], seeds[order]
    first, stripes = starts[rows], lengths[rows] // _STRIPE
    lanes = [seeds + _P1_AND_P2, seeds + _P2, seeds.copy(), seeds - _P1]
    for stripe in range(int(stripes[-1])):
        low = int(np.searchsorted(stripes, stripe, "right"))
        for number, lane in enumerate(lanes):
            word = words.take(first[low:] + stripe * _STRIPE + number * _WORD)
            lane[low:] = _rotated(lane[low:] + word * _P2, 31) * _P1
    mixed = sum(_rotated(lane, by) for lane, by in zip(lanes, _ROTATIONS, strict=True))
    for lane in lanes:
        mixed = (mixed ^ (_rotated(lane * _P2, 31) * _P1)) * _P1 + _P4
    hashes[rows] = mixed


def _mixed(hashes: Any, rows: Any, units: Any, positions: Any, mix: Any) -> None:
    if len(rows):
        some = hashes[rows]
        mix(some, units.take(positions[rows]))
        hashes[rows] = some


def _mix_word(hashes: Any, words: Any) -> None:
    hashes ^= _rotated(words * _P2, 31) * _P1
    hashes[:] = _rotated(hashes, 27) * _P1 + _P4


def _mix_half(hashes: Any, halves: Any) -> None:
    hashes ^= halves.astype(np.uint64) * _P1
    hashes[:] = _rotated(hashes, 23) * _P2 + _P3


def _mix_byte(hashes: Any, bytes_: Any) -> None:
    hashes ^= bytes_.astype(np.uint64) * _P5
    hashes[:] = _rotated(hashes, 11) * _P1


def _finish(hashes: Any) -> None:
    hashes ^= hashes >> np.uint64(33)
    hashes *= _P2
    hashes ^= hashes >> np.uint64(29)
    hashes *= _P3
    hashes ^= hashes >> np.uint64(32)


def _rotated(values: Any, bits: int) -> Any:
    return values << np.uint64(bits) | values >> np.uint64(64 - bits)


def _units(content: Any, dtype: Any) -> Any:
    """The bytes from each position of `content` as one number of that type."""
    width = np.dtype(dtype).itemsize
    count = len(content) - width + 1
    if count <= 0:
        return np.zeros(0, dtype)
    first = np.ndarray((1,), dtype, content.data)
    return np.lib.stride_tricks.as_strided(first, (count,), (1,), writeable=False)
