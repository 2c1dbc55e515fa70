"""Arrow arrays in any layout to physical data, and physical data to Spark's layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.file_fields import places
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.decimals import wide
from broadhead.types import MAX_LONG_DIGITS, ArrayType, DataType, DecimalType, MapType, StructType

_NANOSECONDS = 1000
_INTEGER_DIGITS = 20
"""Digits of the greatest integer that Parquet and Arrow have, which is unsigned."""

_MOVED_AT_ONCE = {1, 2, 4, 8, 16}
"""Lengths of texts for which Arrow's `take` needs a third of the time of `dictionary_decode`."""
_MOST_BYTES = np.iinfo(np.int32).max


def to_physical(array: pa.Array | pa.ChunkedArray, type: DataType) -> pa.Array:
    """Physical data of a host array; raises EngineLimit where a value does not fit."""
    try:
        return _to_physical(views.contiguous(array), type)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"{array.type} data as {type.name}: {error}") from error


def to_outside(data: pa.Array, type: DataType) -> pa.Array:
    """A host array in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    target = arrow_type(type)
    if data.type == target:
        return data
    if isinstance(type, DecimalType):
        return wide.widen(data).view(target)
    if type.name == "void":
        return pa.nulls(len(data))
    if type.is_nested:
        return _in_layout(data, type)
    return data.view(target)


def _to_physical(array: pa.Array, type: DataType) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = _decoded(array)
    if type.name == "void":
        return pa.nulls(len(array), pa.bool_())
    if isinstance(type, DecimalType):
        return _unscaled(array, type)
    if type.name in {"timestamp", "timestamp_ntz"}:
        return _microseconds(array)
    if type.is_nested:
        return _in_layout(array, type)
    target = physical_type(type)
    if array.type == target:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), target)
    if type.name == "string" and pa.types.is_binary(array.type):
        return array.view(target)
    return array.cast(target)


def _unscaled(array: pa.Array, type: DecimalType) -> pa.Array:
    source = array.type
    if pa.types.is_null(source):
        return pa.nulls(len(array), pa.int64())
    if not pa.types.is_decimal(source):
        array = array.cast(pa.decimal128(_INTEGER_DIGITS, 0))
        source = array.type
    if source.scale != type.scale:
        array = array.cast(pa.decimal128(38, type.scale))
    elif pa.types.is_decimal64(source):
        return _fitting(array.view(pa.int64()), source.precision, type)
    elif not pa.types.is_decimal128(source):
        array = array.cast(pa.decimal128(min(source.precision, 38), type.scale))
    data = wide.narrowest(array.view(UNSCALED))
    if wide.is_wide(data) and type.precision <= MAX_LONG_DIGITS:
        raise EngineLimit(
            f"a value of {source} data does not fit in decimal({type.precision},{type.scale})"
        )
    return _fitting(data, array.type.precision, type)


def _fitting(data: pa.Array, precision: int, type: DecimalType) -> pa.Array:
    if precision > type.precision:
        low, high = wide.bounds(data)
        if max(-low, high) >= 10**type.precision:
            raise EngineLimit(
                f"a value with more than {type.precision} digits in "
                f"decimal({type.precision},{type.scale})"
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


def _decoded(data: pa.DictionaryArray) -> pa.Array:
    """The values that dictionary indices stand for."""
    width = _common_length(data)
    if width not in _MOVED_AT_ONCE or data.null_count or len(data) * width > _MOST_BYTES:
        return data.dictionary_decode()
    _, offsets, characters = data.dictionary.buffers()
    first = np.frombuffer(offsets, np.int32)[data.dictionary.offset]
    texts = pa.Array.from_buffers(
        pa.binary(width), len(data.dictionary), [None, characters.slice(first)]
    ).take(data.indices)
    ends = np.arange(0, (len(data) + 1) * width, width, dtype=np.int32)
    return pa.Array.from_buffers(
        data.dictionary.type, len(data), [None, pa.py_buffer(ends), texts.buffers()[1]]
    )


def _common_length(data: pa.DictionaryArray) -> int:
    """The length in bytes of each text of the dictionary; 0 where they differ or are no texts."""
    texts = data.dictionary
    if texts.type not in {pa.string(), pa.binary()} or not len(texts) or texts.null_count:
        return 0
    offsets = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1, texts.offset * 4)
    lengths = np.diff(offsets)
    return int(lengths[0]) if (lengths == lengths[0]).all() else 0


def _in_layout(array: pa.Array, type: DataType) -> pa.Array:
    """The array in the layout of Spark's `ArrowUtils.toArrowSchema`.

    Fields of structs are found by name, since files have others, in other orders and another case;
    one that is missing is null. Which parts can be null does not matter.
    """
    target = arrow_type(type)
    if array.type == target:
        return array
    if isinstance(type, StructType) and pa.types.is_struct(array.type):
        return _struct(array, type, target)
    if isinstance(type, ArrayType) and pa.types.is_nested(array.type):
        # Arrow's own files name lists of other layouts
        lists = array.cast(pa.list_(array.type.value_field))
        return _lists(lists, _in_layout(lists.values, type.element), target)
    if isinstance(type, MapType) and pa.types.is_map(array.type):
        entries = [_in_layout(array.keys, type.key), _in_layout(array.items, type.value)]
        fields = [target.key_field, target.item_field]
        return _lists(array, pa.StructArray.from_arrays(entries, fields=fields), target)
    return array.cast(target)


def _lists(array: pa.Array, items: pa.Array, target: pa.DataType) -> pa.Array:
    buffers = array.buffers()[:2]
    return pa.Array.from_buffers(target, len(array), buffers, -1, array.offset, [items])


def _struct(array: pa.Array, type: StructType, target: pa.StructType) -> pa.Array:
    names = [field.name for field in array.type]
    wanted = [field.name for field in type.fields]
    # the names of alike fields may differ in case, and then the place tells them apart
    alike = [name.lower() for name in names] == [name.lower() for name in wanted]
    found: list[Any] = list(range(len(names))) if alike else places(names, wanted)
    fields = [
        pa.nulls(len(array), arrow_type(field.type))
        if place is None
        else _in_layout(array.field(place), field.type)
        for place, field in zip(found, type.fields, strict=True)
    ]
    validity = array.is_valid().buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(target, len(array), [validity], -1, 0, fields)
