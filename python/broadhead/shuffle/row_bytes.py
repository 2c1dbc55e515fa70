"""Sizes of rows: in memory, and as Spark's `UnsafeRow`s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.shuffle.packed_columns import is_text
from broadhead.types import MAX_LONG_DIGITS, ArrayType, DecimalType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.packed import HostArray
    from broadhead.shuffle.block import Rows
    from broadhead.types import DataType

_WORD = 8
_WIDE_DECIMAL = 16
_ELEMENT_BYTES = {
    "boolean": 1,
    "byte": 1,
    "short": 2,
    "integer": 4,
    "float": 4,
    "date": 4,
    "year_month_interval": 4,
}
"""Sizes of the array elements that are shorter than a word."""


def partition_bytes(rows: Rows, offsets: Any) -> Any:
    """The approximate size of the rows of each partition in memory, int64.

    `offsets`: the offset of each partition, and the number of rows, which is not 0.
    """
    counts = np.diff(offsets).astype(np.int64)
    total = np.zeros(len(counts), np.int64)
    for array in rows.arrays:
        if pa.types.is_nested(array.type):
            slices = zip(offsets.tolist(), counts.tolist(), strict=False)
            total += [array.slice(start, count).nbytes for start, count in slices]
        elif pa.types.is_string(array.type) or pa.types.is_binary(array.type):
            total += 4 * counts + np.diff(_offsets(array)[offsets])
        else:
            total += counts * array.type.bit_width // 8
    return total


def unsafe_row_bytes(rows: Rows, types: Sequence[DataType]) -> int:
    """The size of the rows as Spark's `UnsafeRow`s."""
    return _row_bytes(rows.arrays, types, rows.length)


def _row_bytes(arrays: Sequence[HostArray], types: Sequence[DataType], count: int) -> int:
    """Sizes of so many rows or structs, whose fields are null where the structs are.

    One word for each 64 fields and for each field, then longer values in whole words.
    """
    total = _WORD * count * (-(-len(types) // 64) + len(types))
    for array, data_type in zip(arrays, types, strict=True):
        # Spark's `UnsafeRowWriter` reserves the bytes of a null decimal
        total += _WIDE_DECIMAL * count if _is_wide(data_type) else _content_bytes(array, data_type)
    return total


def _content_bytes(array: HostArray, data_type: DataType) -> int:
    """Sizes of the values that are not null and do not fit into their words."""
    if isinstance(array, pa.Array) and len(array) > array.null_count:
        match data_type:
            case ArrayType(element=element):
                return _array_bytes(_lengths(array), array.flatten(), element)
            case MapType(key=key, value=value):
                lengths = _lengths(array)
                entries = array.cast(pa.list_(array.type.field(0))).flatten()
                keys, values = entries.flatten()
                sizes = _array_bytes(lengths, keys, key) + _array_bytes(lengths, values, value)
                return _WORD * len(lengths) + sizes
            case StructType(fields=fields):
                types = [field.type for field in fields]
                return _row_bytes(array.flatten(), types, len(array) - array.null_count)
        if is_text(data_type):
            return _text_bytes(array)
    return 0


def _text_bytes(array: pa.Array) -> int:
    lengths = np.diff(_offsets(array))
    valid = views.valid(array)
    if valid is not None:
        lengths *= valid
    lengths += _WORD - 1
    lengths >>= 3
    return _WORD * int(lengths.sum(dtype=np.int64))


def _array_bytes(lengths: Any, elements: pa.Array, data_type: DataType) -> int:
    """Sizes of arrays: lengths, null bits, all elements in whole words, and content."""
    size = _ELEMENT_BYTES.get(data_type.name, _WORD)
    total = _WORD * int((1 + (lengths + 63 >> 6) + (lengths * size + 7 >> 3)).sum())
    if not _is_wide(data_type):
        return total + _content_bytes(elements, data_type)
    # unlike `UnsafeRowWriter`, `UnsafeArrayWriter` uses as many bytes as a decimal needs
    low, high = views.limbs(elements).T
    needed = 1 + (high != low >> 63)
    valid = views.valid(elements)
    return total + _WORD * int((needed if valid is None else needed[valid]).sum())


def _is_wide(data_type: DataType) -> bool:
    return isinstance(data_type, DecimalType) and data_type.precision > MAX_LONG_DIGITS


def _lengths(array: pa.Array) -> Any:
    """Lengths of the arrays or maps that are not null, int64."""
    lengths = np.diff(_offsets(array)).astype(np.int64)
    valid = views.valid(array)
    return lengths if valid is None else lengths[valid]


def _offsets(array: pa.Array) -> Any:
    return np.frombuffer(array.buffers()[1], np.int32, len(array) + 1, array.offset * 4)
