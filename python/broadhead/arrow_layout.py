"""Spark's types in Arrow, in the layout of its `ArrowUtils.toArrowSchema`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.errors import Unsupported
from broadhead.types import ArrayType, DataType, DecimalType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.plan.nodes import Attribute

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
    # pyarrow has no intervals of months; messages do not contain the type, and the bytes are equal
    "year_month_interval": pa.int32(),
    "day_time_interval": pa.int64(),
    "void": pa.null(),
}


def arrow_schema(output: Sequence[Attribute]) -> pa.Schema:
    """One field for each attribute; names may repeat."""
    return pa.schema([_field(a.name, a.type, nullable=a.nullable) for a in output])


def arrow_type(data_type: DataType) -> pa.DataType:
    """The Arrow type of a Spark type; raises `Unsupported` for a type without one."""
    match data_type:
        case DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case ArrayType(element=element, contains_null=contains_null):
            return pa.list_(_field("element", element, nullable=contains_null))
        case MapType(key=key, value=value, value_contains_null=contains_null):
            return pa.map_(
                _field("key", key, nullable=False),
                _field("value", value, nullable=contains_null),
            )
        case StructType(fields=fields):
            return pa.struct([_field(f.name, f.type, nullable=f.nullable) for f in fields])
    if data_type.name not in _SIMPLE:
        raise Unsupported(
            f"type {data_type.name} has no Arrow layout in this version of the engine"
        )
    return _SIMPLE[data_type.name]


def _field(name: str, data_type: DataType, *, nullable: bool) -> pa.Field:
    # Arrow has no column of nulls that is never null; `array()` is an array of these
    return pa.field(name, arrow_type(data_type), nullable or data_type.name == "void")


def leaf_count(data_type: pa.DataType) -> int:
    """Number of leaf columns of a column of a Parquet file, by its Arrow type."""
    if pa.types.is_map(data_type):
        return leaf_count(data_type.key_type) + leaf_count(data_type.item_type)
    if pa.types.is_nested(data_type):
        return sum(leaf_count(data_type.field(i).type) for i in range(data_type.num_fields))
    return 1
