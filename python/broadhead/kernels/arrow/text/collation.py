"""Replacement of strings, also within nested values, by their collation keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.types import ArrayType, CollatedType, DataType, MapType, StructType

if TYPE_CHECKING:
    from broadhead.kernels.interface.collations import Collations


def keyed(
    array: pa.Array, data_type: DataType, target: DataType, collations: Collations
) -> pa.Array:
    """The values converted from `data_type` to `target`, both in the layout of `arrow_layout`."""
    if data_type == target:
        return array
    match data_type, target:
        case CollatedType(collation=collation), _:
            return _keys(array, collation, collations)
        case ArrayType(element=element), ArrayType(element=wanted):
            return _lists(array, keyed(array.values, element, wanted, collations), target)
        case MapType(), MapType():
            keys = keyed(array.keys, data_type.key, target.key, collations)
            items = keyed(array.items, data_type.value, target.value, collations)
            fields = [arrow_type(target).key_field, arrow_type(target).item_field]
            entries = pa.StructArray.from_arrays([keys, items], fields=fields)
            return _lists(array, entries, target)
        case StructType(fields=fields), StructType(fields=wanted):
            return _struct(array, fields, target, collations)
    raise TypeError(f"{data_type} cannot be encoded as a key of type {target}")


def _keys(array: pa.Array, collation: str, collations: Collations) -> pa.Array:
    encoded = array.dictionary_encode()
    keys = collations.keys(collation, encoded.dictionary)
    try:
        return keys.take(encoded.indices)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"collation keys of {len(array)} strings failed: {error}") from error


def _lists(array: Any, items: pa.Array, target: DataType) -> pa.Array:
    buffers = array.buffers()[:2]
    layout = arrow_type(target)
    return pa.Array.from_buffers(layout, len(array), buffers, -1, array.offset, [items])


def _struct(array: Any, fields: Any, target: StructType, collations: Collations) -> pa.Array:
    parts = [
        keyed(array.field(index), field.type, wanted.type, collations)
        for index, (field, wanted) in enumerate(zip(fields, target.fields, strict=True))
    ]
    validity = array.is_valid().buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(arrow_type(target), len(array), [validity], -1, 0, parts)
