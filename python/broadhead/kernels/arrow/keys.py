"""Encoding of values as binaries whose bytes have Spark's order.

A nested value is a marker, then its bytes. A struct is the sequence of its fields, an array the
sequence of its elements and an end marker that is less than any element. No encoding is a prefix of
another one, so sequences compare element by element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import nested
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.compare import normalize
from broadhead.kernels.arrow.decimals import wide
from broadhead.kernels.arrow.text import collation
from broadhead.types import (
    MAX_LONG_DIGITS,
    ArrayType,
    DataType,
    DecimalType,
    StructType,
)

if TYPE_CHECKING:
    from broadhead.kernels.interface.collations import Collations

_END = b"\0"
_NULL = 1
_VALUE = 2
_TEXT_END = b"\0\0"
_ZERO, _ZERO_IN_TEXT = b"\0", b"\0\xff"
_NOTHING = b""
_MAX_BYTES = (1 << 31) - 1
_FLOAT_BITS = {"float": np.uint32, "double": np.uint64}

_Part = Any
"""A matrix with the same number of bytes in each row, or binaries without nulls."""


def comparable(data: Any, data_type: ArrayType | StructType) -> Any:
    """Binaries with the equality and order of the values; null for null."""
    try:
        encoded = _joined(_parts(data, data_type))
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(
            f"encoding {len(data)} keys of type {data_type.name} failed: {error}"
        ) from error
    if not data.null_count:
        return encoded
    return pc.if_else(pc.is_valid(data), encoded, pa.scalar(None, encoded.type))


def collated(data: Any, data_type: DataType, target: DataType, collations: Collations) -> Any:
    """The values with their strings replaced by collation keys."""
    return collation.keyed(data, data_type, target, collations)


def _parts(data: Any, data_type: DataType) -> list[_Part]:
    """The columns to concatenate row by row, for the values and their markers."""
    markers = _markers(data)
    if isinstance(data_type, StructType):
        fields = zip(nested.fields(data, data_type), data_type.fields, strict=True)
        return [markers, *(part for column, of in fields for part in _parts(column, of.type))]
    if isinstance(data_type, ArrayType):
        return [markers, _encoded_elements(data, data_type), _repeated(_END, len(data))]
    if data_type.name in {"string", "binary"}:
        return [markers, _text(data), _repeated(_TEXT_END, len(data))]
    if data_type.name == "void":
        return [markers]
    content = _fixed(data, data_type)
    valid = views.valid(data)
    if valid is not None:
        content = np.where(valid[:, None], content, np.uint8(0))
    return [markers, content]


def _markers(data: Any) -> Any:
    markers = np.full(len(data), _VALUE, np.uint8)
    valid = views.valid(data)
    if valid is not None:
        markers[~valid] = _NULL
    return markers[:, None]


def _repeated(content: bytes, length: int) -> Any:
    return np.broadcast_to(np.frombuffer(content, np.uint8), (length, len(content)))


def _encoded_elements(data: Any, data_type: ArrayType) -> Any:
    """The encoded elements of each array; empty for null."""
    (items,) = nested.elements(data, data_type)
    encoded = _joined(_parts(items, data_type.element))
    offsets = np.zeros(len(data) + 1, np.int64)
    np.cumsum(views.values(nested.lengths(data)), out=offsets[1:])
    # the bytes of an array's elements are already adjacent
    return _binary(views.offsets(encoded)[offsets], encoded.buffers()[2])


def _text(data: Any) -> Any:
    """The bytes of each string, zero bytes escaped, so that none equals the end marker."""
    content = data.cast(pa.binary())
    if data.null_count:
        content = pc.fill_null(content, _NOTHING)
    return pc.replace_substring(content, pattern=_ZERO, replacement=_ZERO_IN_TEXT)


def _fixed(data: Any, data_type: DataType) -> Any:
    """The bytes of numbers, converted to unsigned integers of the same order, big-endian."""
    if isinstance(data_type, DecimalType) and data_type.precision > MAX_LONG_DIGITS:
        low, high = views.limbs(wide.widen(data)).T.view(np.uint64)
        return np.hstack([_bytes(high ^ np.uint64(1 << 63)), _bytes(low)])
    if data_type.is_floating:
        bits = views.values(normalize(data)).view(_FLOAT_BITS[data_type.name])
        sign = bits.dtype.type(1 << (bits.itemsize * 8 - 1))
        return _bytes(bits ^ np.where(bits & sign, ~bits.dtype.type(0), sign))
    values = views.values(wide.narrow(data) if data_type.is_decimal else data)
    if data_type.name == "boolean":
        return values.view(np.uint8)[:, None]
    unsigned = values.view(np.dtype(f"u{values.itemsize}"))
    return _bytes(unsigned ^ unsigned.dtype.type(1 << (values.itemsize * 8 - 1)))


def _bytes(unsigned: Any) -> Any:
    width = unsigned.dtype.itemsize
    ordered = np.ascontiguousarray(unsigned, unsigned.dtype.newbyteorder(">"))
    return ordered.view(np.uint8).reshape(len(unsigned), width)


def _joined(parts: list[_Part]) -> Any:
    """The concatenated columns of each row, as binaries with offset 0."""
    together: list[Any] = []
    fixed: list[Any] = []
    for part in parts:
        if isinstance(part, np.ndarray):
            fixed.append(part)
            continue
        if fixed:
            together.append(_of_matrix(np.hstack(fixed)))
            fixed = []
        together.append(part)
    if fixed:
        together.append(_of_matrix(np.hstack(fixed)))
    if len(together) == 1:
        return together[0]
    return pc.binary_join_element_wise(*together, _NOTHING)


def _of_matrix(rows: Any) -> Any:
    length, width = rows.shape
    if length * width > _MAX_BYTES:
        raise EngineLimit(f"keys of {length} rows take more than 2 GiB")
    offsets = np.arange(length + 1, dtype=np.int32) * np.int32(width)
    return _binary(offsets, pa.py_buffer(np.ascontiguousarray(rows)))


def _binary(offsets: Any, content: pa.Buffer) -> Any:
    buffers = [None, pa.py_buffer(np.ascontiguousarray(offsets)), content]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)
