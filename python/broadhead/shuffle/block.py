"""Blocks of shuffle files: rows as bytes; see docs/wire-format.md, section 4."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow import wide
from broadhead.kernels.arrow.layout import physical_type
from broadhead.shuffle.buffers import LZ4, DamagedBlock, Parts, encode_parts
from broadhead.shuffle.packed_columns import column_parts, decode_column, is_text, part_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.types import DataType

MAGIC = b"BHS2"
HEADER = struct.Struct("<4sIIII4x")


@dataclass(frozen=True, slots=True)
class Rows:
    """Physical data on the host: one array for each column, of `length` rows."""

    arrays: tuple[pa.Array, ...]
    length: int

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the rows take."""
        return sum(array.nbytes for array in self.arrays)


def encode(rows: Rows, codec: int = LZ4) -> list[Any]:
    """The block's header and content, in pieces. `rows` are not empty."""
    parts = [part for array in rows.arrays for part in column_parts(array)]
    pieces = encode_parts(parts, codec)
    sizes = (rows.length, sum(map(len, pieces)), len(parts))
    return [HEADER.pack(MAGIC, *sizes, checksum(*sizes, pieces)), *pieces]


def checksum(rows: int, size: int, buffers: int, pieces: Sequence[Any]) -> int:
    """CRC-32 of the header, with zeros in the checksum's place, and of what follows it."""
    value = zlib.crc32(HEADER.pack(MAGIC, rows, size, buffers, 0))
    for piece in pieces:
        value = zlib.crc32(piece, value)
    return value


def decode(
    header: tuple[Any, ...], body: pa.Buffer, types: Sequence[DataType], wanted: Sequence[int]
) -> Rows:
    """The columns `wanted` (ascending ordinals) of the block with this header.

    Raises DamagedBlock where the bytes do not fit together.
    """
    _, length, size, buffers, expected = header
    if checksum(length, size, buffers, [body]) != expected:
        raise DamagedBlock("its checksum is wrong")
    if buffers != sum(map(part_count, types)):
        raise DamagedBlock(f"it has {buffers} buffers")
    parts = Parts(body, buffers)
    arrays = []
    kept = set(wanted)
    for ordinal, type_ in enumerate(types):
        if ordinal in kept:
            arrays.append(decode_column(parts, type_, length))
        else:
            for _ in range(part_count(type_)):
                parts.next()
    return Rows(tuple(arrays), length)


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
    buffer = array.buffers()[1]
    if not len(array) or buffer is None:
        return 0
    offsets = np.frombuffer(buffer, np.int32, len(array) + 1, array.offset * 4)
    lengths = np.diff(offsets)
    lengths += 7
    lengths >>= 3
    return 8 * int(lengths.sum(dtype=np.int64))
