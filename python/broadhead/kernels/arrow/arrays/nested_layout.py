"""Conversion of nested arrays to Spark's layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.file_fields import field_indices
from broadhead.types import ArrayType, MapType, StructType

if TYPE_CHECKING:
    from broadhead.types import DataType


def in_layout(array: pa.Array, data_type: DataType) -> pa.Array:
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
        return _lists(lists, in_layout(lists.values, data_type.element), target)
    if isinstance(data_type, MapType) and pa.types.is_map(array.type):
        entries = [in_layout(array.keys, data_type.key), in_layout(array.items, data_type.value)]
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
        if place is None
        else in_layout(array.field(place), field.type)
        for place, field in zip(found, data_type.fields, strict=True)
    ]
    validity = array.is_valid().buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(target, len(array), [validity], -1, 0, fields)
