"""Bytes that rows take: in memory, and as Spark's `UnsafeRow`s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.layout import physical_type
from broadhead.shuffle.packed_columns import is_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.shuffle.block import Rows
    from broadhead.types import DataType


def partition_bytes(rows: Rows, offsets: Any) -> Any:
    """About the bytes that the rows of each partition take in memory, int64.

    `offsets`: where each partition begins, and the number of rows, which is not 0.
    """
    counts = np.diff(offsets).astype(np.int64)
    total = np.zeros(len(counts), np.int64)
    for array in rows.arrays:
        if pa.types.is_nested(array.type):
            slices = zip(offsets.tolist(), counts.tolist(), strict=False)
            total += [array.slice(start, count).nbytes for start, count in slices]
        elif pa.types.is_string(array.type) or pa.types.is_binary(array.type):
            total += 4 * counts + np.diff(_text_offsets(array)[offsets])
        else:
            total += counts * array.type.bit_width // 8
    return total


def unsafe_row_bytes(rows: Rows, types: Sequence[DataType]) -> int:
    """About the bytes that the rows take as Spark's `UnsafeRow`s.

    One word for each 64 columns and for each column, what is longer in whole words behind them;
    nested columns count as they lie in memory.
    """
    words = -(-len(types) // 64) + len(types)
    total = words * 8 * rows.length
    for array, type_ in zip(rows.arrays, types, strict=True):
        if is_text(type_):
            total += _padded_text_bytes(array)
        elif type_.is_nested:
            total += array.nbytes
        elif pa.types.is_decimal(physical_type(type_)) or _is_wide_decimal(type_):
            total += 16 * rows.length
    return total


def _is_wide_decimal(type_: Any) -> bool:
    return bool(type_.is_decimal) and type_.precision > 18


def _padded_text_bytes(array: pa.Array) -> int:
    lengths = np.diff(_text_offsets(array))
    lengths += 7
    lengths >>= 3
    return 8 * int(lengths.sum(dtype=np.int64))


def _text_offsets(array: pa.Array) -> Any:
    return np.frombuffer(array.buffers()[1], np.int32, len(array) + 1, array.offset * 4)
