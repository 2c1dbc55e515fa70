"""Conversion of Arrow arrays of any layout to physical data, and of these to Spark's layout."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import dictionary, views
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.arrays.nested_layout import in_layout
from broadhead.kernels.arrow.decimals import wide
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

_NANOSECONDS = 1000
_INTEGER_DIGITS = 20
"""Digits of the greatest integer of Parquet and Arrow, which is unsigned."""


def to_physical(array: pa.Array | pa.ChunkedArray, data_type: DataType) -> pa.Array:
    """Physical data of a host array; raises EngineLimit if a value does not fit."""
    try:
        return _to_physical(views.contiguous(array), data_type)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(
            f"{array.type} data cannot be read as {data_type.name}: {error}"
        ) from error


def to_outside(data: pa.Array, data_type: DataType) -> pa.Array:
    """A host array in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    target = arrow_type(data_type)
    if data.type == target:
        return data
    if isinstance(data_type, DecimalType):
        return wide.widen(data).view(target)
    if data_type.name == "void":
        return pa.nulls(len(data))
    if data_type.is_nested:
        return in_layout(data, data_type)
    return data.view(target)


def _to_physical(array: pa.Array, data_type: DataType) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = dictionary.decoded(array)
    if data_type.name == "void":
        return pa.nulls(len(array), pa.bool_())
    if isinstance(data_type, DecimalType):
        return _unscaled(array, data_type)
    if data_type.name in {"timestamp", "timestamp_ntz"}:
        return _microseconds(array)
    if data_type.is_nested:
        return in_layout(array, data_type)
    target = physical_type(data_type)
    if array.type == target:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), target)
    if data_type.name == "string" and pa.types.is_binary(array.type):
        return array.view(target)
    return array.cast(target)


def _unscaled(array: pa.Array, data_type: DecimalType) -> pa.Array:
    source = array.type
    if pa.types.is_null(source):
        return pa.nulls(len(array), pa.int64())
    if not pa.types.is_decimal(source):
        array = array.cast(pa.decimal128(_INTEGER_DIGITS, 0))
        source = array.type
    if source.scale != data_type.scale:
        array = array.cast(pa.decimal128(38, data_type.scale))
    elif pa.types.is_decimal64(source):
        return _fitting(array.view(pa.int64()), source.precision, data_type)
    elif not pa.types.is_decimal128(source):
        array = array.cast(pa.decimal128(min(source.precision, 38), data_type.scale))
    data = wide.narrowest(array.view(UNSCALED))
    if wide.is_wide(data) and data_type.precision <= MAX_LONG_DIGITS:
        raise EngineLimit(
            f"a value of {source} data does not fit in "
            f"decimal({data_type.precision},{data_type.scale})"
        )
    return _fitting(data, array.type.precision, data_type)


def _fitting(data: pa.Array, precision: int, data_type: DecimalType) -> pa.Array:
    if precision > data_type.precision:
        low, high = wide.bounds(data)
        if max(-low, high) >= 10**data_type.precision:
            raise EngineLimit(
                f"a value has more than {data_type.precision} digits in "
                f"decimal({data_type.precision},{data_type.scale})"
            )
    return data


def _microseconds(array: pa.Array) -> pa.Array:
    source = array.type
    if pa.types.is_null(source):
        return pa.nulls(len(array), pa.int64())
    if not pa.types.is_timestamp(source):
        return array.cast(pa.int64())
    if source.unit == "ns":
        micros = np.floor_divide(views.values(array.view(pa.int64())), _NANOSECONDS)
        return views.array(micros, pa.int64(), array)
    if source.unit != "us":
        array = array.cast(pa.timestamp("us", source.tz))
    return array.view(pa.int64())
