"""Between Spark's Arrow layout and the physical form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.physical import (
    WIDE,
    as_array,
    from_values,
    is_wide,
    limbs,
    physical_type,
    relabel,
    to_long,
    to_wide,
    values,
)
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

Array = Any
MICROS = {"s": 1_000_000, "ms": 1_000}


def from_arrow(array: pa.Array, type: DataType) -> Array:  # noqa: A002 - the interface's name
    """Physical data of a host array in Spark's Arrow layout or a Parquet reader's."""
    array = as_array(array)
    if pa.types.is_dictionary(array.type):
        array = as_array(array.dictionary_decode())
    if type.is_nested:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), physical_type(type))
    if isinstance(type, DecimalType):
        return _unscaled(array, type)
    if pa.types.is_timestamp(array.type):
        return _microseconds(array)
    wanted = physical_type(type)
    if array.type == wanted:
        return array
    try:
        return as_array(pc.cast(array, wanted, safe=True))
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"a value does not fit {type.name}: {error}") from error


def _unscaled(array: pa.Array, type_: DecimalType) -> Array:
    arrow_type = array.type
    if not pa.types.is_decimal(arrow_type):
        raise EngineLimit(f"{arrow_type} is not decimal({type_.precision},{type_.scale})")
    if arrow_type.scale != type_.scale or arrow_type.precision > type_.precision:
        raise EngineLimit(
            f"{arrow_type} is not decimal({type_.precision},{type_.scale}); Spark reads it"
        )
    if pa.types.is_decimal64(arrow_type):
        return relabel(array, pa.int64())
    if pa.types.is_decimal32(arrow_type):
        return as_array(pc.cast(relabel(array, pa.int32()), pa.int64()))
    wide = relabel(as_array(pc.cast(array, pa.decimal128(38, arrow_type.scale))), WIDE)
    if type_.precision <= MAX_LONG_DIGITS:
        low, _ = limbs(wide)
        return from_values(low.view(np.int64), wide, pa.int64())
    narrow = to_long(wide)
    return wide if narrow is None else narrow


def _microseconds(array: pa.Array) -> Array:
    unit = array.type.unit
    ticks = relabel(array, pa.int64())
    if unit == "us":
        return ticks
    if unit == "ns":
        return from_values(np.floor_divide(values(ticks), 1_000), ticks, pa.int64())
    try:
        return as_array(pc.multiply_checked(ticks, MICROS[unit]))
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"a timestamp does not fit microseconds: {error}") from error


def to_arrow(data: Array, type: DataType) -> pa.Array:  # noqa: A002 - the interface's name
    """A host array in Spark's Arrow layout."""
    if isinstance(type, DecimalType):
        wide = data if is_wide(data) else to_wide(data)
        return relabel(wide, pa.decimal128(type.precision, type.scale))
    if type.name == "timestamp":
        return relabel(data, pa.timestamp("us", "UTC"))
    if type.name == "timestamp_ntz":
        return relabel(data, pa.timestamp("us"))
    if type.name == "void":
        return pa.nulls(len(data))
    if type.is_nested:
        return as_array(data.cast(arrow_type(type)))
    return data
