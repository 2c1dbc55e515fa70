"""Blocks of shuffle files: rows as bytes; see docs/wire-format.md, section 4."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow import wide
from broadhead.kernels.arrow.layout import UNSCALED, outside_type, physical_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.types import DataType

MAGIC = b"BHS1"
HEADER = struct.Struct("<4sIIIIB3x")
NONE, LZ4, ZSTD = 0, 1, 2

_CODEC_NAMES = {LZ4: "lz4_raw", ZSTD: "zstd"}
_LENGTH = struct.Struct("<q")
_ALIGNMENT = 8
_LONG_BYTES = 8
_LEAST_COMPRESSED = 64
"""Content of fewer bytes is not compressed."""


class DamagedBlock(Exception):
    """Bytes that are not the block that was written."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Physical data on the host: one array for each column, of `length` rows."""

    arrays: tuple[pa.Array, ...]
    length: int

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the rows take."""
        return sum(array.nbytes for array in self.arrays)


@cache
def _codec(number: int) -> pa.Codec:
    level = 1 if number == ZSTD else None
    return pa.Codec(_CODEC_NAMES[number], compression_level=level)


def encode(rows: Rows, codec: int = LZ4) -> list[Any]:
    """The block's header and content. `rows` are not empty."""
    buffers = [b for array in rows.arrays for b in _column_buffers(array)]
    content = _joined(buffers)
    body: Any = content
    if codec != NONE and len(content) >= _LEAST_COMPRESSED:
        body = _codec(codec).compress(content, asbytes=False)
    if codec == NONE or len(body) >= len(content):
        codec, body = NONE, content
    sizes = (rows.length, len(body), len(content))
    return [HEADER.pack(MAGIC, *sizes, checksum(*sizes, codec, body), codec), body]


def checksum(rows: int, compressed: int, size: int, codec: int, body: Any) -> int:
    """CRC-32 of the header, with zeros in the checksum's place, and of what follows it."""
    return zlib.crc32(body, zlib.crc32(HEADER.pack(MAGIC, rows, compressed, size, 0, codec)))


def _joined(buffers: Sequence[Any]) -> Any:
    """All buffers with their lengths, padded."""
    sizes = [len(buffer) for buffer in buffers]
    content: Any = np.empty(sum(_LENGTH.size + _padded(size) for size in sizes), np.uint8)
    position = 0
    for buffer, size in zip(buffers, sizes, strict=True):
        _LENGTH.pack_into(content, position, size)
        position += _LENGTH.size
        end = position + size
        content[position:end] = np.frombuffer(buffer, np.uint8) if size else 0
        position += _padded(size)
        content[end:position] = 0
    return content


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _column_buffers(array: pa.Array) -> list[Any]:
    """Validity, values; or validity, offsets, bytes; or a message of Arrow."""
    if pa.types.is_nested(array.type):
        return [pa.RecordBatch.from_arrays([array], names=["c"]).serialize()]
    validity = _bits(array.buffers()[0], array) if array.null_count else b""
    if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        return [validity, *_text_buffers(array)]
    values = array.buffers()[1]
    if pa.types.is_boolean(array.type):
        return [validity, _bits(values, array)]
    width = array.type.bit_width // 8
    return [validity, values.slice(array.offset * width, len(array) * width)]


def _bits(bitmap: pa.Buffer, array: pa.Array) -> Any:
    """The array's bits of a bitmap, from the first on."""
    start, length = array.offset, len(array)
    if start % 8 == 0:
        return bitmap.slice(start // 8, (length + 7) // 8)
    bits = np.unpackbits(
        np.frombuffer(bitmap, np.uint8)[start // 8 :],
        count=start % 8 + length,
        bitorder="little",
    )
    return np.packbits(bits[start % 8 :], bitorder="little")


def _text_buffers(array: pa.Array) -> list[Any]:
    _, offset_buffer, content = array.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32, len(array) + 1, array.offset * 4)
    start, end = int(offsets[0]), int(offsets[-1])
    moved = offsets if start == 0 else offsets - np.int32(start)
    return [moved.view(np.uint8), content.slice(start, end - start) if end > start else b""]


def decode(
    header: tuple[Any, ...], body: pa.Buffer, types: Sequence[DataType], wanted: Sequence[int]
) -> Rows:
    """The columns `wanted` (ascending ordinals) of the block with this header.

    Raises DamagedBlock where the bytes do not fit together.
    """
    _, length, compressed, content_bytes, expected, codec = header
    if checksum(length, compressed, content_bytes, codec, body) != expected:
        raise DamagedBlock("its checksum is wrong")
    content = body
    if codec != NONE:
        try:
            content = _codec(codec).decompress(body, content_bytes, asbytes=False)
        except (KeyError, OSError, pa.ArrowException) as error:
            raise DamagedBlock(f"it cannot be decompressed: {error}") from error
    if content.size != content_bytes:
        raise DamagedBlock(f"it has {content.size} bytes where {content_bytes} were written")
    buffers = _Buffers(content)
    arrays = []
    kept = set(wanted)
    for ordinal, type_ in enumerate(types):
        if ordinal in kept:
            arrays.append(_decode_column(buffers, type_, length))
        else:
            buffers.skip(1 if type_.is_nested else 3 if _is_text(type_) else 2)
    return Rows(tuple(arrays), length)


class _Buffers:
    """Reads the content of a block, buffer by buffer."""

    def __init__(self, content: pa.Buffer) -> None:
        self._content = content
        self._position = 0

    def next(self) -> pa.Buffer:
        """The next buffer."""
        start = self._position + _LENGTH.size
        if start > self._content.size:
            raise DamagedBlock("it ends before its last column")
        (size,) = _LENGTH.unpack(self._content[self._position : start])
        if not 0 <= size <= self._content.size - start:
            raise DamagedBlock(f"it holds a buffer of {size} bytes")
        self._position = start + _padded(size)
        return self._content.slice(start, size)

    def skip(self, count: int) -> None:
        """Leave out so many buffers."""
        for _ in range(count):
            self.next()


def _is_text(type_: DataType) -> bool:
    return type_.name in {"string", "binary"}


def _decode_column(buffers: _Buffers, type_: DataType, length: int) -> pa.Array:
    if type_.is_nested:
        schema = pa.schema([pa.field("c", outside_type(type_))])
        try:
            return pa.ipc.read_record_batch(buffers.next(), schema).column(0)
        except (OSError, pa.ArrowException) as error:
            raise DamagedBlock(f"a nested column cannot be read: {error}") from error
    validity = buffers.next()
    layout = physical_type(type_)
    parts = [validity if validity.size else None, buffers.next()]
    if _is_text(type_):
        parts.append(buffers.next())
        least = (length + 1) * 4
    else:
        if type_.is_decimal and parts[1].size != length * _LONG_BYTES:
            layout = UNSCALED
        least = -(-length * layout.bit_width // 8)
    if parts[1].size < least or 0 < validity.size < -(-length // 8):
        raise DamagedBlock(f"a column has too few bytes for {length} rows")
    return pa.Array.from_buffers(layout, length, parts, -1 if validity.size else 0)


def concatenate(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts, at least one, one after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.arrays for part in parts), strict=True)
    arrays = tuple(pa.concat_arrays(wide.unify(column)) for column in columns)
    return Rows(arrays, sum(part.length for part in parts))


def unsafe_row_bytes(rows: Rows, types: Sequence[DataType]) -> int:
    """About the bytes that the rows take as Spark's `UnsafeRow`s.

    One word for each 64 columns and for each column, what is longer in whole words behind them;
    nested columns count as they lie in memory.
    """
    words = -(-len(types) // 64) + len(types)
    total = words * 8 * rows.length
    for array, type_ in zip(rows.arrays, types, strict=True):
        if _is_text(type_):
            total += _padded_text_bytes(array)
        elif type_.is_nested:
            total += array.nbytes
        elif pa.types.is_decimal(physical_type(type_)) or _is_wide_decimal(type_):
            total += 16 * rows.length
    return total


def _is_wide_decimal(type_: Any) -> bool:
    return bool(type_.is_decimal) and type_.precision > 18


def _padded_text_bytes(array: pa.Array) -> int:
    buffer = array.buffers()[1]
    if not len(array) or buffer is None:
        return 0
    offsets = np.frombuffer(buffer, np.int32, len(array) + 1, array.offset * 4)
    lengths = np.diff(offsets)
    lengths += 7
    lengths >>= 3
    return 8 * int(lengths.sum(dtype=np.int64))
