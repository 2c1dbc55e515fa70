"""Spark's hash, partition numbers by range bounds, and rows sorted by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow import columns, nested
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide
from broadhead.kernels.arrow.hashing import bounds as range_bounds
from broadhead.kernels.arrow.hashing import murmur3 as murmur
from broadhead.kernels.arrow.hashing import xxhash64 as xxhash
from broadhead.types import (
    MAX_LONG_DIGITS,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from broadhead.kernels.interface.hash import Order

_DECIMAL_BYTES = 16
_INTS = frozenset({"boolean", "byte", "short", "integer", "date", "year_month_interval"})


def murmur3(columns: Sequence[Any], types: Sequence[DataType], length: int, seed: int) -> Any:
    """Spark's `hash` of each row, int32 without nulls."""
    hashes = np.full(length, seed & 0xFFFFFFFF, np.uint32)
    for column, data_type in zip(columns, types, strict=True):
        _fold(hashes, column, data_type)
    return pa.array(hashes.view(np.int32))


def xxhash64(columns: Sequence[Any], types: Sequence[DataType], length: int, seed: int) -> Any:
    """Spark's `xxhash64` of each row, int64 without nulls."""
    hashes = np.full(length, seed & 0xFFFFFFFFFFFFFFFF, np.uint64)
    for column, data_type in zip(columns, types, strict=True):
        _fold(hashes, column, data_type, xxhash)
    return pa.array(hashes.view(np.int64))


def _fold(hashes: Any, column: Any, data_type: DataType, algorithm: ModuleType = murmur) -> None:
    """Replaces the seeds by the hashes of a column; nulls keep the seed."""
    if isinstance(data_type, StructType):
        for data, field in zip(nested.fields(column, data_type), data_type.fields, strict=True):
            _fold(hashes, data, field.type, algorithm)
        return
    if isinstance(data_type, ArrayType | MapType):
        _fold_elements(hashes, column, data_type, algorithm)
        return
    valid = views.valid(column)
    if valid is None:
        _hash_column(hashes, column, data_type, algorithm)
    elif valid.any():
        before = hashes.copy()
        _hash_column(hashes, column, data_type, algorithm)
        np.copyto(hashes, before, where=~valid)


def _fold_elements(
    hashes: Any, column: Any, data_type: ArrayType | MapType, algorithm: ModuleType
) -> None:
    """The first elements of all rows, then the second ones; in maps, each key before its value."""
    parts = nested.elements(column, data_type)
    types = (
        [data_type.element]
        if isinstance(data_type, ArrayType)
        else [data_type.key, data_type.value]
    )
    lengths = views.values(nested.lengths(column))
    # rows sorted by length: the rows with another element are then always the first ones
    order = np.argsort(-lengths, kind="stable")
    starts = (np.cumsum(lengths) - lengths)[order]
    longest_first = -lengths[order]
    chained = hashes[order]
    for position in range(int(lengths.max(initial=0))):
        rows = int(np.searchsorted(longest_first, -position))
        positions = pa.array(starts[:rows] + position)
        for data, of in zip(columns.take(parts, positions), types, strict=True):
            _fold(chained[:rows], data, of, algorithm)
    hashes[order] = chained


def _hash_column(hashes: Any, column: Any, data_type: DataType, algorithm: ModuleType) -> None:
    hash_ints, hash_longs = algorithm.hash_ints, algorithm.hash_longs
    if isinstance(data_type, DecimalType):
        if data_type.precision > MAX_LONG_DIGITS:
            algorithm.hash_bytes(hashes, *_big_integers(column))
        else:
            hash_longs(hashes, views.values(wide.narrow(column)).view(np.uint64))
    elif data_type.name in {"string", "binary"}:
        algorithm.hash_bytes(hashes, *_texts(column))
    elif data_type.is_floating:
        hash_floats = hash_ints if data_type.name == "float" else hash_longs
        hash_floats(hashes, _float_bits(views.values(column)))
    elif data_type.name in _INTS:
        hash_ints(hashes, views.values(column).astype(np.int32, copy=False).view(np.uint32))
    else:
        hash_longs(hashes, views.values(column).view(np.uint64))


def _float_bits(values: Any) -> Any:
    """Java's `floatToIntBits`, with 0.0 for -0.0: one bit pattern for NaN."""
    unsigned = np.uint32 if values.dtype == np.float32 else np.uint64
    # NaN first: numpy warns if a signaling NaN is added
    values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return (values + values.dtype.type(0)).view(unsigned)


def _texts(column: Any) -> tuple[Any, Any, Any]:
    """Content, starts and lengths of strings or binaries."""
    _, offset_buffer, content_buffer = column.buffers()
    if not len(column) or offset_buffer is None:
        empty = np.zeros(len(column), np.int64)
        return np.zeros(0, np.uint8), empty, empty
    offsets = np.frombuffer(offset_buffer, np.int32, len(column) + 1, column.offset * 4)
    if content_buffer is None:
        content = np.zeros(0, np.uint8)
    else:
        content = np.frombuffer(content_buffer, np.uint8, int(offsets[-1]))
    wider = offsets.astype(np.int64)
    return content, wider[:-1], np.diff(wider)


def _big_integers(column: Any) -> tuple[Any, Any, Any]:
    """Content, starts and lengths of the bytes of Java's `BigInteger.toByteArray`."""
    limbs = views.limbs(wide.widen(column))
    content = np.ascontiguousarray(limbs[:, ::-1].astype(">i8")).view(np.uint8)
    content = content.reshape(len(column), _DECIMAL_BYTES)
    # a leading byte is omitted if the remaining bytes have the same sign
    sign = np.where(limbs[:, 1] < 0, np.uint8(255), np.uint8(0))[:, None]
    same_sign = (content[:, 1:] ^ sign) < 128
    spare = (content[:, :-1] == sign) & same_sign
    skipped = np.cumprod(spare, axis=1, dtype=np.int8).sum(axis=1, dtype=np.int64)
    starts = np.arange(len(column), dtype=np.int64) * _DECIMAL_BYTES + skipped
    return content.reshape(-1), starts, _DECIMAL_BYTES - skipped


def modulo(hashes: Any, partitions: int) -> Any:
    """`pmod(hash, partitions)`, int32."""
    return pa.array(views.values(hashes) % np.int32(partitions))


def search_sorted(bounds: Sequence[Any], keys: Sequence[Any], orders: Sequence[Order]) -> Any:
    """The number of rows of `bounds` before each row of `keys`, int32."""
    return range_bounds.count_before(bounds, keys, orders)


def partition(arrays: Sequence[Any], ids: Any, partitions: int) -> tuple[list[Any], Any]:
    """The rows sorted by partition, and the offset of each partition."""
    numbers = views.values(ids)
    offsets = np.zeros(partitions + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=partitions), out=offsets[1:])
    if (offsets[1:] - offsets[:-1]).max(initial=0) == len(numbers):
        return list(arrays), offsets
    # numpy sorts integers of up to 16 bits by radix
    narrow = (
        numbers.astype(np.uint8 if partitions <= 1 << 8 else np.uint16)
        if partitions <= 1 << 16
        else numbers
    )
    order = np.argsort(narrow, kind="stable")
    return columns.take(arrays, pa.array(order)), offsets
