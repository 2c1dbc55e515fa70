"""Conversion of Arrow arrays of any layout to physical data, and of these to Spark's layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.files.nested_fields import field_indices
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.decimals import wide
from broadhead.types import MAX_LONG_DIGITS, ArrayType, DataType, DecimalType, MapType, StructType

_NANOSECONDS = 1000
_INTEGER_DIGITS = 20
"""Digits of the greatest integer of Parquet and Arrow, which is unsigned."""

_MOVED_AT_ONCE = {1, 2, 4, 8, 16}
"""String lengths for which Arrow's `take` needs a third of the time of `dictionary_decode`."""
_MOST_BYTES = np.iinfo(np.int32).max


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
        return _in_layout(data, data_type)
    return data.view(target)


def _to_physical(array: pa.Array, data_type: DataType) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = _decoded(array)
    if data_type.name == "void":
        return pa.nulls(len(array), pa.bool_())
    if isinstance(data_type, DecimalType):
        return _unscaled(array, data_type)
    if data_type.name in {"timestamp", "timestamp_ntz"}:
        return _microseconds(array)
    if data_type.is_nested:
        return _in_layout(array, data_type)
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


def _decoded(data: pa.DictionaryArray) -> pa.Array:
    """The values of dictionary indices."""
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
    """The length in bytes of all the dictionary's strings; 0 for other types or lengths."""
    texts = data.dictionary
    if texts.type not in {pa.string(), pa.binary()} or not len(texts) or texts.null_count:
        return 0
    offsets = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1, texts.offset * 4)
    lengths = np.diff(offsets)
    return int(lengths[0]) if (lengths == lengths[0]).all() else 0


def _in_layout(array: pa.Array, data_type: DataType) -> pa.Array:
    """The array in the layout of Spark's `ArrowUtils.toArrowSchema`.

    Struct fields are found by name, since files may have other fields, in another order or case;
    missing fields are null. Nullability of nested values is ignored.
    """
    target = arrow_type(data_type)
    if array.type == target:
        return array
    if isinstance(data_type, StructType) and pa.types.is_struct(array.type):
        return _struct(array, data_type, target)
    if isinstance(data_type, ArrayType) and pa.types.is_nested(array.type):
        # Arrow's own files name the items of a list differently
        lists = array.cast(pa.list_(array.type.value_field))
        return _lists(lists, _in_layout(lists.values, data_type.element), target)
    if isinstance(data_type, MapType) and pa.types.is_map(array.type):
        entries = [_in_layout(array.keys, data_type.key), _in_layout(array.items, data_type.value)]
        fields = [target.key_field, target.item_field]
        return _lists(array, pa.StructArray.from_arrays(entries, fields=fields), target)
    return array.cast(target)


def _lists(array: pa.Array, items: pa.Array, target: pa.DataType) -> pa.Array:
    buffers = array.buffers()[:2]
    return pa.Array.from_buffers(target, len(array), buffers, -1, array.offset, [items])


def _struct(array: pa.Array, data_type: StructType, target: pa.StructType) -> pa.Array:
    names = [field.name for field in array.type]
    wanted = [field.name for field in data_type.fields]
    # the names of equal fields may differ in case; then the ordinal decides
    same = [name.lower() for name in names] == [name.lower() for name in wanted]
    found: list[Any] = list(range(len(names))) if same else field_indices(names, wanted)
    fields = [
        pa.nulls(len(array), arrow_type(field.type))
        if ordinal is None
        else _in_layout(array.field(ordinal), field.type)
        for ordinal, field in zip(found, data_type.fields, strict=True)
    ]
    validity = array.is_valid().buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(target, len(array), [validity], -1, 0, fields)
