"""Arrays, maps and structs between the host and the device.

libcudf has lists and structs only, and no binary: a map goes as a list of structs, binary as
string. On the device nested data keep the types that Arrow or Parquet gave them, since nothing is
ever computed on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pylibcudf as plc
from pylibcudf.interop import ColumnMetadata

from broadhead.errors import EngineLimit
from broadhead.types import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column

_SIMPLE = {
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
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
}


def spark_layout(type: DataType) -> pa.DataType:
    """The Arrow type that Spark's `ArrowUtils.toArrowType` gives."""
    if isinstance(type, DecimalType):
        return pa.decimal128(type.precision, type.scale)
    if isinstance(type, ArrayType):
        return pa.list_(pa.field("element", spark_layout(type.element), type.contains_null))
    if isinstance(type, MapType):
        value = pa.field("value", spark_layout(type.value), type.value_contains_null)
        return pa.map_(spark_layout(type.key), value)
    if isinstance(type, StructType):
        fields = [pa.field(f.name, spark_layout(f.type), f.nullable) for f in type.fields]
        return pa.struct(fields)
    return _SIMPLE[type.name]


def from_arrow(array: pa.Array, type: DataType) -> Column:
    """A nested host array on the device."""
    layout = spark_layout(type)
    try:
        return plc.Column.from_arrow(
            _storage(array if array.type.equals(layout) else array.cast(layout), type)
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError) as error:
        raise EngineLimit(f"{type.name} data of layout {array.type}: {error}") from error


def _storage(array: pa.Array, type: DataType) -> pa.Array:
    """An array of Spark's layout with lists of structs for maps and strings for binary."""
    if type.is_nested and array.offset:
        array = array.take(pa.array(range(len(array)), pa.int64()))
    if isinstance(type, StructType):
        fields = [_storage(array.field(i), f.type) for i, f in enumerate(type.fields)]
        struct = pa.struct([pa.field(str(i), field.type) for i, field in enumerate(fields)])
        return pa.Array.from_buffers(struct, len(array), array.buffers()[:1], -1, 0, fields)
    if isinstance(type, ArrayType | MapType):
        items = _storage(array.values, _item(type))
        return pa.Array.from_buffers(
            pa.list_(items.type), len(array), array.buffers()[:2], -1, 0, [items]
        )
    if type.name == "binary":
        return _relabel(array, pa.string())
    return pa.nulls(len(array), pa.bool_()) if type.name == "void" else array


def _item(type: ArrayType | MapType) -> DataType:
    """What the list holds that stands for an array or a map."""
    if isinstance(type, ArrayType):
        return type.element
    key = StructField("key", type.key, nullable=False)
    return StructType("struct", (key, StructField("value", type.value, type.value_contains_null)))


def _relabel(array: pa.Array, type: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(type, len(array), array.buffers(), array.null_count, array.offset)


def to_arrow(data: Column, type: DataType) -> pa.Array:
    """Nested data in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    return _restored(data.to_arrow(_metadata(type)), type)


def _metadata(type: DataType, name: str = "") -> ColumnMetadata:
    if isinstance(type, DecimalType):
        return ColumnMetadata(name, precision=type.precision)
    if isinstance(type, StructType):
        return ColumnMetadata(name, children_meta=[_metadata(f.type, f.name) for f in type.fields])
    if isinstance(type, ArrayType | MapType):
        # on the device a list's first child are its offsets
        inner = _metadata(_item(type), "element")
        return ColumnMetadata(name, children_meta=[ColumnMetadata(), inner])
    return ColumnMetadata(name)


def as_binary(array: pa.Array) -> pa.Array:
    """A string array as binary, the same memory."""
    return _relabel(array, pa.binary())


def _restored(array: pa.Array, type: DataType) -> pa.Array:
    """What came from the device in Spark's layout."""
    target = spark_layout(type)
    if isinstance(type, StructType):
        fields = [_restored(array.field(i), f.type) for i, f in enumerate(type.fields)]
        return pa.Array.from_buffers(target, len(array), array.buffers()[:1], -1, 0, fields)
    if isinstance(type, ArrayType | MapType):
        items = _restored(array.values, _item(type))
        return pa.Array.from_buffers(target, len(array), array.buffers()[:2], -1, 0, [items])
    if type.name == "binary":
        return as_binary(array.cast(pa.string()))
    if type.name == "void":
        return pa.nulls(len(array))
    if type.name == "timestamp":
        return array.cast(pa.timestamp("us")).view(target)
    return array.cast(target)
