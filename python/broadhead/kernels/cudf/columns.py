"""Creating, moving and measuring columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.interop import ColumnMetadata

from broadhead import arrow_layout
from broadhead.kernels.arrow import columns as arrow_columns
from broadhead.kernels.arrow.arrays import nested_literals
from broadhead.kernels.cudf import host, nested, physical, rows, transfer
from broadhead.kernels.cudf.physical import (
    DECIMAL128,
    INT64,
    LONG_MAX,
    LONG_MIN,
    NESTED,
    Column,
    Data,
    Scalar,
    arrow_type,
    cast,
    constant,
    device_type,
    element,
    expand,
    null_scalar,
    relabel,
    value_of,
)
from broadhead.packed import PackedIntegers
from broadhead.types import DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.packed import HostArray


def scalar(value: Any, data_type: DataType) -> Scalar:
    """A scalar from the Python form of a literal; None is null."""
    if data_type.is_decimal:
        if value is None:
            return null_scalar(INT64)
        return constant(value, INT64 if LONG_MIN <= value <= LONG_MAX else DECIMAL128)
    if data_type.is_nested:
        one = (
            pa.nulls(1, arrow_layout.arrow_type(data_type))
            if value is None
            else nested_literals.column([value], data_type)
        )
        return element(nested.from_arrow(one, data_type), 0)
    if value is None:
        return null_scalar(device_type(data_type))
    if data_type.name in {"date", "binary"}:
        return element(host.from_host(pa.array([value], arrow_type(data_type))), 0)
    return constant(value, device_type(data_type))


def is_scalar(data: Data) -> bool:
    """True for pylibcudf's scalars."""
    return physical.is_scalar(data)


def full(data: Data, length: int) -> Column:
    """`length` copies of a scalar; a column is returned unchanged."""
    return expand(data, length)


def sequence(length: int) -> Column:
    """0 to length - 1, int64."""
    return plc.filling.sequence(length, constant(0, INT64), constant(1, INT64))


def first(data: Column) -> Scalar:
    """The scalar in row 0 of a column that is not empty."""
    return element(data, 0)


def length(data: Column) -> int:
    """Number of rows."""
    return int(data.size())


def null_count(data: Column) -> int:
    """Number of nulls."""
    return int(data.null_count())


def nbytes(data: Column) -> int:
    """Memory of the rows in bytes, without other rows of the same buffers."""
    size = int(data.size())
    total = (size + 7) // 8 if data.null_mask() is not None else 0
    kind = data.type().id()
    if kind == TypeId.STRUCT:
        return total + sum(nbytes(child) for child in data.children())
    if kind not in {TypeId.STRING, TypeId.LIST}:
        return total + size * int(plc.types.size_of(data.type()))
    if size == 0 or not data.children():
        return total
    offsets = data.child(0)
    if kind == TypeId.STRING and not data.offset() and offsets.size() == size + 1:
        characters = data.data()
        held = 0 if characters is None else int(characters.size)
        return total + held + (size + 1) * int(plc.types.size_of(offsets.type()))
    start = int(value_of(element(offsets, data.offset())))
    items = int(value_of(element(offsets, data.offset() + size))) - start
    total += size * int(plc.types.size_of(offsets.type()))
    if kind == TypeId.STRING:
        return total + items
    child = data.child(1)
    return total + nbytes(child) * items // max(int(child.size()), 1)


def filter(arrays: Sequence[Column], mask: Column) -> list[Column]:
    """The rows where `mask` (nulls allowed) is true."""
    return rows.filter_rows(arrays, mask)


def take(arrays: Sequence[Column], indices: Column) -> list[Column]:
    """Rows `indices` (int32 or int64); a null index gives null."""
    return rows.take_rows(arrays, indices)


def slice(arrays: Sequence[Column], offset: int, length: int) -> list[Column]:
    """`length` rows from `offset`, as views."""
    if not arrays or (offset == 0 and length == arrays[0].size()):
        return list(arrays)
    (part,) = plc.copying.slice(plc.Table(arrays), [offset, offset + length])
    return list(part.columns())


def concat(tables: Sequence[Sequence[Column]]) -> list[Column]:
    """The concatenated rows of all tables."""
    if len(tables) == 1 or not tables[0]:
        return list(tables[0])
    columns = [_one_width(column) for column in zip(*tables, strict=True)]
    joined = plc.concatenate.concatenate([plc.Table(t) for t in zip(*columns, strict=True)])
    return list(joined.columns())


def _one_width(parts: Sequence[Column]) -> Sequence[Column]:
    """The chunks of one column; unscaled data of two widths are all widened."""
    if all(part.type() == parts[0].type() for part in parts):
        return parts
    return [cast(part, DECIMAL128) for part in parts]


def scatter(data: Column, mask: Column) -> Column:
    """A column as long as `mask`: the rows of `data` where it is true, null elsewhere."""
    return rows.spread_rows(data, mask)


def put(data: Column, positions: Column, length: int) -> Column:
    """A column of `length` rows: those of `data` at these positions, null elsewhere."""
    return rows.put_rows(data, positions, length)


def from_arrow(array: pa.Array, data_type: DataType) -> Column:
    """Physical data of a host array; the interface lists the accepted layouts."""
    if data_type.is_nested:
        return nested.from_arrow(array, data_type)
    return host.from_host(arrow_columns.from_arrow(array, data_type))


def to_arrow(data: Column, data_type: DataType) -> pa.Array:
    """A host array in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    if isinstance(data_type, DecimalType):
        wide = relabel(cast(data, DECIMAL128), plc.DataType(TypeId.DECIMAL128, -data_type.scale))
        return wide.to_arrow(ColumnMetadata(precision=data_type.precision))
    if data.type().id() in NESTED:
        return nested.to_arrow(data, data_type)
    array = host.to_host(data)
    if data_type.name == "binary":
        array = nested.as_binary(array)
    return arrow_columns.to_arrow(array, data_type)


def to_host(data: Column, data_type: DataType) -> HostArray:
    """The physical data of the arrow kernels; nested types in the layout of `to_arrow`."""
    if data_type.is_nested:
        return nested.to_arrow(data, data_type)
    packed = transfer.packed(data)
    if packed is not None:
        return packed
    array = host.to_host(data)
    return nested.as_binary(array) if data_type.name == "binary" else array


def from_host(array: HostArray, data_type: DataType) -> Column:
    """The physical data of such a host array."""
    if isinstance(array, PackedIntegers):
        return transfer.unpacked(host.from_host(array.values), array.least, array.type)
    return nested.from_arrow(array, data_type) if data_type.is_nested else host.from_host(array)
