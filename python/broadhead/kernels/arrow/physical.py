"""Physical forms as Arrow types, and the zero-copy conversions between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

WIDE = pa.decimal128(38, 0)
"""Unscaled data of 128 bits."""

PHYSICAL = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.int64(),
    "timestamp_ntz": pa.int64(),
    "void": pa.bool_(),
}


def physical_type(type_: DataType) -> pa.DataType:
    """The Arrow type of a Spark type's physical data; int64 for decimals of up to 18 digits."""
    if isinstance(type_, DecimalType):
        return pa.int64() if type_.precision <= MAX_LONG_DIGITS else WIDE
    return PHYSICAL[type_.name]


def as_array(result: Any) -> Any:
    """An Array of what a pyarrow function gives, which may be chunked."""
    if isinstance(result, pa.ChunkedArray):
        return result.combine_chunks() if result.num_chunks != 1 else result.chunk(0)
    return result


def relabel(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """The same buffers as an array of another type with the same layout."""
    return pa.Array.from_buffers(
        type_, len(array), array.buffers(), array.null_count, array.offset
    )


def values(array: pa.Array) -> np.ndarray[Any, Any]:
    """A fixed-width array's values without a copy; what stands in null rows is arbitrary."""
    dtype = array.type.to_pandas_dtype() if not pa.types.is_date32(array.type) else np.int32
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype, count=len(array) + array.offset)[array.offset :]


def limbs(array: pa.Array) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Low (uint64) and high (int64) words of a 128-bit array."""
    buffer = array.buffers()[1]
    if buffer is None:
        empty = np.zeros(len(array), np.int64)
        return empty.view(np.uint64), empty
    words = np.frombuffer(buffer, np.int64, count=2 * (len(array) + array.offset))
    words = words[2 * array.offset :]
    return words[0::2].view(np.uint64), words[1::2]


def validity(array: pa.Array) -> pa.Buffer | None:
    """The validity bitmap of an array, starting at bit 0, or None where nothing is null."""
    if not array.null_count:
        return None
    if array.offset == 0:
        return array.buffers()[0]
    return array.is_valid().buffers()[1] if array.offset % 8 == 0 else _copied_validity(array)


def _copied_validity(array: pa.Array) -> pa.Buffer:
    bits = np.packbits(np.asarray(array.is_valid(), dtype=bool), bitorder="little")
    return pa.py_buffer(bits)


def from_values(result: np.ndarray[Any, Any], like: pa.Array, type_: pa.DataType) -> pa.Array:
    """An array of these values that is null where `like` is."""
    buffers = [validity(like), pa.py_buffer(np.ascontiguousarray(result))]
    return pa.Array.from_buffers(type_, len(like), buffers)


def is_wide(data: Any) -> bool:
    """Whether unscaled data have 128 bits."""
    return bool(pa.types.is_decimal128(data.type))


def to_wide(data: Any) -> Any:
    """Unscaled data in 128 bits."""
    if is_wide(data):
        return data
    if isinstance(data, pa.Scalar):
        return pa.scalar(data.as_py(), pa.decimal128(38, 0)) if data.is_valid else pa.scalar(None, WIDE)
    low = values(data)
    words = np.empty((len(data), 2), np.int64)
    words[:, 0] = low
    np.right_shift(low, 63, out=words[:, 1])
    return pa.Array.from_buffers(WIDE, len(data), [validity(data), pa.py_buffer(words)])


def to_long(array: pa.Array) -> pa.Array | None:
    """Unscaled data in 64 bits, or None where a value does not fit."""
    if not is_wide(array):
        return array
    low, high = limbs(array)
    fits = high == (low.view(np.int64) >> 63)
    if not fits.all():
        valid = np.asarray(array.is_valid(), dtype=bool)
        if not (fits | ~valid).all():
            return None
    return from_values(low.view(np.int64), array, pa.int64())


def same_width(left: Any, right: Any) -> tuple[Any, Any]:
    """Both in 128 bits where one of them is unscaled data of 128 bits."""
    if left.type == right.type or not (is_wide(left) or is_wide(right)):
        return left, right
    return to_wide(left), to_wide(right)


def check_offsets(array: pa.Array) -> None:
    """Raise `EngineLimit` for texts of more than 2 GiB, which 32-bit offsets cannot hold."""
    if array.nbytes >= 2**31 - 1:
        raise EngineLimit("a batch holds more than 2 GiB of text")
