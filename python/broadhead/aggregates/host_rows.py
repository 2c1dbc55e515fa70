"""Values of groups in the host's memory, and binaries that all have one length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.types import BINARY, LONG

if TYPE_CHECKING:
    from broadhead.aggregates.whole_groups import Members
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

    Bytes = np.ndarray[Any, np.dtype[np.uint8]]
    Longs = np.ndarray[Any, np.dtype[np.int64]]

MOST_BYTES = 256 << 20
"""Of the binaries of all groups of one batch: with more, Spark's operators run."""

MOST_OF_BINARIES = (1 << 31) - 1
"""Bytes of all binaries of an array."""


def on_host(k: Kernels, data: Array, data_type: DataType) -> Any:
    """The values, none of them null, as a numpy array."""
    return k.columns.to_arrow(data, data_type).to_numpy(zero_copy_only=False)


def starts_on_host(k: Kernels, found: Members) -> tuple[Longs, Longs]:
    """The groups that have values, and the index of the first value of each."""
    offsets = on_host(k, found.offsets, LONG)
    groups = np.flatnonzero(np.diff(offsets))
    return groups, offsets[groups]


def check_size(rows: int, width: int, name: str) -> None:
    """Raises EngineLimit if so many binaries take too much memory at once."""
    if rows * width > MOST_BYTES:
        raise EngineLimit(f"{rows} buffers of {name}, each of {width} bytes")


def binaries_of(k: Kernels, rows: Bytes) -> Column:
    """Each row of the matrix as a binary."""
    size, width = rows.shape
    return binaries_with(k, rows.reshape(-1), np.arange(size + 1) * width)


def binaries_with(k: Kernels, content: Bytes, offsets: Longs) -> Column:
    """Binaries of these bytes; the offsets say where each begins and the last ends."""
    if offsets[-1] > MOST_OF_BINARIES:
        raise EngineLimit(f"{offsets[-1]} bytes of buffers in a batch")
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(content)]
    binaries = pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)
    return Column(k.columns.from_arrow(binaries, BINARY), BINARY)


def bytes_of(k: Kernels, data: Array) -> tuple[Bytes, Longs]:
    """The bytes of binaries, none of them null, and where each begins and the last ends."""
    array = k.columns.to_arrow(data, BINARY)
    _, offsets, content = array.buffers()
    if not len(array):
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    narrow = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
    bounds = narrow.astype(np.int64)
    if content is None:
        return np.zeros(0, np.uint8), bounds
    return np.frombuffer(content, np.uint8)[bounds[0] : bounds[-1]], bounds - bounds[0]
