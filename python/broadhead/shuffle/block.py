"""Blocks of shuffle files: rows as bytes; see docs/wire-format.md, section 4."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.kernels.arrow.decimals import wide
from broadhead.packed import PackedIntegers, concatenate_columns, unpacked
from broadhead.shuffle.buffers import LZ4, BufferReader, DamagedBlock, encode_buffers
from broadhead.shuffle.packed_columns import buffer_count, column_buffers, decode_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.packed import HostArray
    from broadhead.types import DataType

MAGIC = b"BHS2"
HEADER = struct.Struct("<4s5I")

_LEAST_ROWS = 4096
"""Batches of fewer rows are concatenated before encoding."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Physical data on the host: one array for each column, of `length` rows."""

    arrays: tuple[HostArray, ...]
    length: int

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the rows take."""
        return sum(array.nbytes for array in self.arrays)

    def slice(self, start: int, length: int) -> Rows:
        """A slice of the rows, without a copy."""
        return Rows(tuple(array.slice(start, length) for array in self.arrays), length)


def encode(rows: Sequence[Rows], codec: int = LZ4) -> list[Any]:
    """The header and content, as buffers, of a block of these batches, none of them empty."""
    length = sum(batch.length for batch in rows)
    if length < len(rows) * _LEAST_ROWS:
        rows = [concatenate(rows)]
    columns = zip(*(batch.arrays for batch in rows), strict=True)
    encoded = [buffer for column in columns for buffer in column_buffers(column)]
    content = encode_buffers(encoded, codec)
    sizes = (length, sum(map(len, content)), len(encoded))
    return [HEADER.pack(MAGIC, *sizes, checksum(*sizes, content), 0), *content]


def checksum(rows: int, size: int, buffers: int, content: Sequence[Any]) -> int:
    """CRC-32 of the header, with zeros in the checksum's field, and of the bytes after it."""
    value = zlib.crc32(HEADER.pack(MAGIC, rows, size, buffers, 0, 0))
    for buffer in content:
        value = zlib.crc32(buffer, value)
    return value


def decode(
    header: tuple[Any, ...],
    body: pa.Buffer,
    types: Sequence[DataType],
    wanted: Sequence[int],
    *,
    keep_packed: bool = False,
) -> Rows:
    """The columns `wanted` (ascending ordinals) of the block with this header.

    `keep_packed`: integers may be `PackedIntegers`. Raises DamagedBlock if the bytes are
    inconsistent.
    """
    _, length, size, buffers, expected, zero = header
    if zero or checksum(length, size, buffers, [body]) != expected:
        raise DamagedBlock("its checksum is wrong")
    if not length or buffers != sum(map(buffer_count, types)):
        raise DamagedBlock(f"it has {length} rows and {buffers} buffers")
    reader = BufferReader(body, buffers)
    arrays = []
    kept = set(wanted)
    for ordinal, data_type in enumerate(types):
        if ordinal in kept:
            arrays.append(decode_column(reader, data_type, length, keep_packed=keep_packed))
        else:
            for _ in range(buffer_count(data_type)):
                reader.next()
    return Rows(tuple(arrays), length)


def concatenate(batches: Sequence[Rows]) -> Rows:
    """The concatenated rows of all batches, at least one."""
    if len(batches) == 1:
        return batches[0]
    columns = zip(*(batch.arrays for batch in batches), strict=True)
    return Rows(tuple(map(_together, columns)), sum(batch.length for batch in batches))


def _together(column: Sequence[HostArray]) -> HostArray:
    packed = [array for array in column if isinstance(array, PackedIntegers)]
    if len(packed) == len(column):
        return concatenate_columns(packed)
    return pa.concat_arrays(wide.unify(list(map(unpacked, column))))
