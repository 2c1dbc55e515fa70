"""A 64-bit hash of rows, the same in every batch of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide

if TYPE_CHECKING:
    from collections.abc import Sequence

_NULL = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
_SHIFT = np.uint64(33)
_WORD = 8


def hash_rows(keys: Sequence[pa.Array], seed: int) -> Any:
    """The hash of each row as numpy uint64; equal rows have equal hashes."""
    start = (seed * int(_NULL) + int(_NULL)) % 2**64
    hashes = np.full(len(keys[0]), start, np.uint64)
    for key in keys:
        hashed = _column(key, hashes)
        valid = views.valid(key)
        hashes = hashed if valid is None else np.where(valid, hashed, _mix(hashes, _NULL))
    return hashes


def _mix(hashes: Any, values: Any) -> Any:
    mixed = (hashes * _NULL) ^ values
    for multiplier in _MULTIPLIERS:
        mixed = (mixed ^ (mixed >> _SHIFT)) * multiplier
    return mixed ^ (mixed >> _SHIFT)


def _column(key: pa.Array, hashes: Any) -> Any:
    if pa.types.is_string(key.type) or pa.types.is_binary(key.type):
        return _texts(key, hashes)
    if wide.is_wide(key):
        limbs = views.limbs(key)
        low, high = limbs[:, 0], limbs[:, 1]
        short = _mix(hashes, low.view(np.uint64) if low.flags.c_contiguous else _unsigned(low))
        # a value that fits in int64 must have the hash of the int64 data of another batch
        return np.where(high == low >> 63, short, _mix(short, _unsigned(high)))
    if pa.types.is_floating(key.type):
        return _mix(hashes, views.values(key).astype(np.float64).view(np.uint64))
    return _mix(hashes, _unsigned(views.values(key)))


def _unsigned(values: Any) -> Any:
    return values.astype(np.int64).view(np.uint64)


def _texts(key: pa.Array, hashes: Any) -> Any:
    buffers = key.buffers()
    offsets = np.frombuffer(buffers[1], np.int32, len(key) + 1, key.offset * 4).astype(np.int64)
    starts, lengths = offsets[:-1], np.diff(offsets)
    result = _mix(hashes, lengths.view(np.uint64))
    content = np.zeros(int(offsets[-1]) + _WORD, np.uint8)
    if buffers[2] is not None:
        content[:-_WORD] = np.frombuffer(buffers[2], np.uint8, int(offsets[-1]))
    words = np.lib.stride_tricks.as_strided(
        content[:_WORD].view(np.uint64), (len(content) - _WORD + 1,), (1,), writeable=False
    )
    rows = np.flatnonzero(lengths > 0)
    position = 0
    while len(rows):
        word = words[starts[rows] + position]
        left = np.minimum(lengths[rows] - position, _WORD)
        mask = np.uint64(2**64 - 1) >> ((_WORD - left) * 8).astype(np.uint64)
        result[rows] = _mix(result[rows], word & mask)
        position += _WORD
        rows = rows[lengths[rows] > position]
    return result
