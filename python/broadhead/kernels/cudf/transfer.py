"""Copies of columns to and from the host; integers are packed and unpacked on the device.

Few bytes are copied, and they are written only once. They go to memory of Arrow's pool, which
reuses pages that the process has already used: copies into new pages take four times as long
(measured on an H200: 35 and 8 ms for 128 MiB).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from rmm.pylibrmm.device_buffer import copy_ptr_to_host
from rmm.pylibrmm.stream import PER_THREAD_DEFAULT_STREAM

from broadhead.kernels.cudf.physical import (
    DATE,
    INT16,
    INT32,
    INT64,
    Column,
    binary,
    cast,
    constant,
    relabel,
    value_of,
)
from broadhead.packed import LIMITS, PackedIntegers

_ARROW = {
    TypeId.INT8: pa.int8(),
    TypeId.INT16: pa.int16(),
    TypeId.INT32: pa.int32(),
    TypeId.INT64: pa.int64(),
    TypeId.UINT8: pa.uint8(),
    TypeId.UINT16: pa.uint16(),
    TypeId.UINT32: pa.uint32(),
    TypeId.FLOAT32: pa.float32(),
    TypeId.FLOAT64: pa.float64(),
    TypeId.TIMESTAMP_DAYS: pa.date32(),
}
"""Column types with Arrow's layout on the device: one buffer of values, and a validity bitmap."""
_UNSIGNED = {
    1: plc.DataType(TypeId.UINT8),
    2: plc.DataType(TypeId.UINT16),
    4: plc.DataType(TypeId.UINT32),
}
_WHOLE = {pa.int16(): INT16, pa.int32(): INT32, pa.int64(): INT64, pa.date32(): INT32}
"""The device's integer types for the values of these types."""

_LEAST_PACKED = 1 << 16
"""Number of rows below which determining the range takes longer than copying."""


def packed(data: Column) -> PackedIntegers | None:
    """The column's integers on the host in fewer bytes; None if this saves nothing."""
    data_type = _ARROW.get(data.type().id())
    whole = _WHOLE.get(data_type)
    if whole is None or data.size() < _LEAST_PACKED or data.null_count() == data.size():
        return None
    numbers = relabel(data, whole)
    least, most = map(value_of, plc.reduce.minmax(numbers))
    width = next((width for width, limit in LIMITS if most - least <= limit), None)
    if width is None or width >= plc.types.size_of(whole):
        return None
    above = binary(numbers, BinaryOperator.SUB, constant(least, whole), whole)
    values = copied(cast(above, _UNSIGNED[width]))
    return None if values is None else PackedIntegers(values, least, data_type)


def unpacked(values: Column, least: int, data_type: pa.DataType) -> Column:
    """The packed integers on the device, unpacked."""
    whole = _WHOLE[data_type]
    numbers = cast(values, whole)
    if least:
        numbers = binary(numbers, BinaryOperator.ADD, constant(least, whole), whole)
    return relabel(numbers, DATE) if pa.types.is_date(data_type) else numbers


def copied(data: Column) -> pa.Array | None:
    """The column on the host; None if its layout on the device is not Arrow's."""
    kind = data.type().id()
    if data.offset() or not data.size():
        return None
    if kind == TypeId.STRING:
        return _copied_strings(data)
    if kind == TypeId.DECIMAL128:
        return _copied_values(data, pa.decimal128(38, -data.type().scale()))
    data_type = _ARROW.get(kind)
    return None if data_type is None else _copied_values(data, data_type)


def _copied_values(data: Column, data_type: pa.DataType) -> pa.Array:
    size = int(data.size())
    values = _bytes(data.data(), size * data_type.bit_width // 8)
    return pa.Array.from_buffers(data_type, size, [_validity(data), values], data.null_count())


def _copied_strings(data: Column) -> pa.Array | None:
    """Strings with offsets of 32 bits; strings of more than 2 GiB have other offsets."""
    size = int(data.size())
    starts = data.child(0)
    if starts.type().id() != TypeId.INT32 or starts.offset():
        return None
    offsets = _bytes(starts.data(), 4 * (size + 1))
    end = int(np.frombuffer(offsets, np.int32)[size])
    characters = _bytes(data.data(), end) if end else pa.py_buffer(b"")
    buffers = [_validity(data), offsets, characters]
    return pa.Array.from_buffers(pa.string(), size, buffers, data.null_count())


def _validity(data: Column) -> pa.Buffer | None:
    if not data.null_count():
        return None
    return _bytes(data.null_mask(), -(-int(data.size()) // 8))


def _bytes(span: Any, size: int) -> pa.Buffer:
    """Device memory copied to the host."""
    buffer = pa.allocate_buffer(size)
    copy_ptr_to_host(span.ptr, np.frombuffer(buffer, np.uint8), PER_THREAD_DEFAULT_STREAM)
    PER_THREAD_DEFAULT_STREAM.synchronize()
    return buffer
