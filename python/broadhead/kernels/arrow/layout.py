"""Arrow types of Spark's types: in the engine and at its rim."""

from __future__ import annotations

import pyarrow as pa

from broadhead.errors import Unsupported
from broadhead.types import ArrayType, DataType, DecimalType, MapType, StructType

UNSCALED = pa.decimal128(38, 0)
"""The wide form of unscaled data."""

_PHYSICAL = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal": pa.int64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.int64(),
    "timestamp_ntz": pa.int64(),
    "year_month_interval": pa.int32(),
    "day_time_interval": pa.int64(),
    "void": pa.bool_(),
}
_OUTSIDE = {
    **_PHYSICAL,
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
}


def physical_type(type: DataType) -> pa.DataType:
    """The Arrow type of physical data; for decimals the narrow one."""
    return _PHYSICAL[type.name] if type.name in _PHYSICAL else outside_type(type)


def outside_type(type: DataType) -> pa.DataType:
    """The Arrow type in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    match type:
        case DecimalType():
            return pa.decimal128(type.precision, type.scale)
        case ArrayType():
            element = pa.field("element", outside_type(type.element), type.contains_null)
            return pa.list_(element)
        case MapType():
            value = pa.field("value", outside_type(type.value), type.value_contains_null)
            return pa.map_(pa.field("key", outside_type(type.key), nullable=False), value)
        case StructType():
            return pa.struct(
                [pa.field(f.name, outside_type(f.type), f.nullable) for f in type.fields]
            )
    if type.name not in _OUTSIDE:
        raise Unsupported(f"type {type.name} has no Arrow layout in this version of the engine")
    return _OUTSIDE[type.name]
