"""Views of Arrow arrays as numpy arrays, and of numpy arrays as Arrow arrays, without copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMPY = {
    pa.int8(): np.int8,
    pa.int16(): np.int16,
    pa.int32(): np.int32,
    pa.int64(): np.int64,
    pa.uint32(): np.uint32,
    pa.uint64(): np.uint64,
    pa.float32(): np.float32,
    pa.float64(): np.float64,
    pa.date32(): np.int32,
}
_BYTES = frozenset({pa.string(), pa.binary()})
_MOST_BYTES = (1 << 31) - 1


def dtype(data_type: pa.DataType) -> Any:
    """The numpy type of fixed-width values (pyarrow's own table needs pandas)."""
    return np.dtype(_NUMPY[data_type])


def is_plain(data_type: pa.DataType) -> bool:
    """Whether `values` has the values of the type."""
    return data_type in _NUMPY or pa.types.is_boolean(data_type)


def values(data: pa.Array) -> Any:
    """The values as numpy array, with undefined values under nulls; fixed-width types only."""
    if pa.types.is_boolean(data.type):
        bits = data.buffers()[1]
        if not len(data) or bits is None:
            return np.zeros(len(data), bool)
        unpacked = np.unpackbits(
            np.frombuffer(bits, np.uint8), count=data.offset + len(data), bitorder="little"
        )
        return unpacked[data.offset :].view(bool)
    width = dtype(data.type)
    buffer = data.buffers()[1]
    if not len(data) or buffer is None:
        return np.zeros(len(data), width)
    return np.frombuffer(buffer, width, len(data), data.offset * width.itemsize)


def offsets(data: pa.Array) -> Any:
    """The start offset of each row's bytes or elements, and the end offset of the last row."""
    if not len(data):
        return np.zeros(1, np.int32)
    return np.frombuffer(data.buffers()[1], np.int32, len(data) + 1, data.offset * 4)


def limbs(data: pa.Array) -> Any:
    """The 64-bit limbs (low first, as int64) of 128-bit or 256-bit decimals, one row each."""
    width = data.type.bit_width // 64
    buffer = data.buffers()[1]
    if not len(data) or buffer is None:
        return np.zeros((len(data), width), np.int64)
    flat = np.frombuffer(buffer, np.int64, len(data) * width, data.offset * width * 8)
    return flat.reshape(len(data), width)


def valid(data: pa.Array) -> Any:
    """A numpy mask of the values that are not null, or None if none is null."""
    return values(pc.is_valid(data)) if data.null_count else None


def validity(sources: Iterable[Any]) -> pa.Buffer | None:
    """The validity bitmap (offset 0) of the rows that are valid in all Arrays among the sources."""
    bitmaps = [s for s in sources if isinstance(s, pa.Array) and s.null_count]
    if not bitmaps:
        return None
    if len(bitmaps) == 1 and bitmaps[0].offset == 0:
        return bitmaps[0].buffers()[0]
    combined = pc.is_valid(bitmaps[0])
    for source in bitmaps[1:]:
        combined = pc.and_(combined, pc.is_valid(source))
    if combined.offset:
        return pa.py_buffer(np.packbits(values(combined), bitorder="little"))
    return combined.buffers()[1]


def array(data: Any, data_type: pa.DataType, *sources: Any) -> pa.Array:
    """The numpy values (booleans, or of the type's width) as Array, null where a source is null."""
    if pa.types.is_boolean(data_type):
        buffer = pa.py_buffer(np.packbits(data, bitorder="little"))
    else:
        buffer = pa.py_buffer(np.ascontiguousarray(data))
    return pa.Array.from_buffers(data_type, len(data), [validity(sources), buffer])


def contiguous(data: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The chunks as one Array."""
    if isinstance(data, pa.ChunkedArray):
        if data.num_chunks == 1:
            return data.chunk(0)
        if not data.num_chunks:
            return pa.array([], data.type)
        return pa.concat_arrays(data.chunks)
    return data


def full(data: Any, length: int) -> pa.Array:
    """`length` copies of a scalar; an Array is returned unchanged.

    Raises `EngineLimit` for strings of more than 2**31 bytes together: Arrow's own `repeat` returns
    a broken array for these. For numbers it also takes eight times as long.
    """
    if not isinstance(data, pa.Scalar):
        return data
    one = pa.repeat(data, 1)
    if not length:
        return one.slice(0, 0)
    if data.is_valid and data.type in _NUMPY:
        return array(np.full(length, values(one)[0]), data.type)
    if data.is_valid and pa.types.is_decimal128(data.type):
        return array(np.repeat(limbs(one), length, axis=0), data.type)
    if data.is_valid and data.type in _BYTES:
        return _repeated_bytes(one, length)
    return pa.repeat(data, length)


def _repeated_bytes(one: pa.Array, length: int) -> pa.Array:
    """`length` copies of one string or binary."""
    size = int(offsets(one)[1])
    if size * length > _MOST_BYTES:
        raise EngineLimit(f"{length} rows of a value of {size} bytes")
    starts = np.arange(length + 1, dtype=np.int32) * np.int32(size)
    content = one.buffers()[2].to_pybytes()[:size] * length if size else b""
    return pa.Array.from_buffers(
        one.type, length, [None, pa.py_buffer(starts), pa.py_buffer(content)]
    )


def row_count(*data: Any) -> int:
    """The length of the Arrays among the arguments."""
    return next(len(d) for d in data if isinstance(d, pa.Array))
