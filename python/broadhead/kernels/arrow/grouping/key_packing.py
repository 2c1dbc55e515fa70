"""Conversion of grouping keys to a form that hashes fast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

_WIDEST = 8


def pack(keys: list[pa.Array]) -> list[pa.Array]:
    """Keys that are equal exactly if `keys` are.

    Strings of one fixed length up to 8 bytes, without nulls, are combined into one integer: hashing
    two columns of flags takes twice as long. Returns `keys` itself if there are no such strings.
    """
    packed: Any = None
    used = 0
    rest = []
    for key in keys:
        bytes_ = _fixed_width(key, _WIDEST - used)
        if bytes_ is None:
            rest.append(key)
            continue
        used += bytes_.shape[1]
        for column in bytes_.T:
            packed = column.astype(np.int64) if packed is None else packed << 8 | column
    return keys if packed is None else [pa.array(packed), *rest]


def _fixed_width(key: pa.Array, room: int) -> Any:
    """The bytes of strings that all have the same length up to `room`, one row each, or None."""
    if not (pa.types.is_string(key.type) or pa.types.is_binary(key.type)):
        return None
    if key.null_count or not len(key):
        return None
    buffers = key.buffers()
    offsets = np.frombuffer(buffers[1], np.int32, len(key) + 1, key.offset * 4)
    start, width = int(offsets[0]), int(offsets[1] - offsets[0])
    if not 0 < width <= room or offsets[-1] - start != width * len(key):
        return None
    if not (np.diff(offsets) == width).all():
        return None
    return np.frombuffer(buffers[2], np.uint8, width * len(key), start).reshape(len(key), width)
