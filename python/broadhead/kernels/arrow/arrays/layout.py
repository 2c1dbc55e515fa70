"""Arrow types of physical data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.arrow_layout import arrow_type

if TYPE_CHECKING:
    from broadhead.types import DataType

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


def physical_type(data_type: DataType) -> pa.DataType:
    """The Arrow type of physical data; for decimals the narrow one."""
    return _PHYSICAL[data_type.name] if data_type.name in _PHYSICAL else arrow_type(data_type)
