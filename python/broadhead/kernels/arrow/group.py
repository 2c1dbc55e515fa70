"""Hash aggregation of what is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.compare import normalize
from broadhead.kernels.arrow.grouping import Grouping, SingleGroup
from broadhead.kernels.arrow.physical import is_wide, limbs, relabel, values

Array = Any

MIX = np.uint64(0x9E3779B97F4A7C15)
NULL_HASH = np.uint64(0x51ED270B35A1E3C7)


def group(keys: Sequence[Array], length: int) -> Grouping | SingleGroup:
    """Groups by equal keys: nulls are equal, NaNs are equal, -0.0 equals 0.0."""
    if not keys:
        return SingleGroup(length)
    return Grouping([normalize(key) for key in keys], length)


def hash_partition(keys: Sequence[Array], parts: int, seed: int) -> Array:
    """For each row a number in [0, parts), int32, equal for equal keys."""
    result = np.full(len(keys[0]), np.uint64(seed) * MIX + np.uint64(1), np.uint64)
    with np.errstate(over="ignore"):
        for key in keys:
            result = (result ^ _hash(normalize(key))) * MIX
            result ^= result >> np.uint64(29)
    return pa.array((result % np.uint64(parts)).astype(np.int32))


def _hash(key: Array) -> np.ndarray[Any, Any]:
    """64 bits for each value, the same for equal values whatever their storage."""
    if pa.types.is_string(key.type) or pa.types.is_binary(key.type):
        encoded = key.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        hashes = np.array([_hash_bytes(text) for text in texts] or [0], np.uint64)
        hashed = hashes[encoded.indices.fill_null(0).to_numpy()]
    elif pa.types.is_boolean(key.type):
        hashed = np.asarray(key.fill_null(False), dtype=np.uint64)  # noqa: FBT003
    elif is_wide(key):
        low, high = limbs(key)
        # a value that fits in 64 bits hashes as its 64-bit form
        sign = low.view(np.int64) >> 63
        hashed = low ^ ((high ^ sign).view(np.uint64) * MIX)
    elif pa.types.is_floating(key.type):
        hashed = values(pc.cast(key, pa.float64())).view(np.uint64)
    else:
        hashed = values(relabel(key, pa.int32()) if pa.types.is_date32(key.type) else key)
        hashed = hashed.astype(np.int64).view(np.uint64)
    with np.errstate(over="ignore"):
        mixed = (hashed ^ (hashed >> np.uint64(31))) * MIX
    if key.null_count:
        mixed = np.where(np.asarray(key.is_null()), NULL_HASH, mixed)
    return mixed


def _hash_bytes(text: str | bytes) -> int:
    import zlib

    data = text.encode() if isinstance(text, str) else text
    return zlib.crc32(data) | zlib.adler32(data) << 32
