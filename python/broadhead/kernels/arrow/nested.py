"""Splitting of arrays, maps and structs, and creation of structs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import convert, views
from broadhead.types import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_ELEMENTS = (1 << 31) - 1


def lengths(data: Any) -> Any:
    """Number of elements of each array or entries of each map, int64; 0 for null."""
    offsets = views.offsets(data)
    counts = np.diff(offsets).astype(np.int64)
    valid = views.valid(data)
    if valid is not None:
        counts[~valid] = 0
    return pa.array(counts)


def elements(data: Any, data_type: ArrayType | MapType) -> list[Any]:
    """The concatenated elements of all rows; keys and values of maps."""
    if isinstance(data_type, ArrayType):
        return [convert.to_physical(_items(data, data.values), data_type.element)]
    # the keys and items of a slice are those of the whole map array
    keys, values = (_items(data, part) for part in (data.keys, data.items))
    return [convert.to_physical(keys, data_type.key), convert.to_physical(values, data_type.value)]


def fields(data: Any, data_type: StructType) -> list[Any]:
    """Each field of a struct, null where the struct is null."""
    types: Sequence[DataType] = [field.type for field in data_type.fields]
    return [convert.to_physical(a, t) for a, t in zip(data.flatten(), types, strict=True)]


def struct(fields: Sequence[Any], data_type: StructType) -> Any:
    """Structs of these fields, none of them null."""
    values = [convert.to_outside(a, f.type) for a, f in zip(fields, data_type.fields, strict=True)]
    return pa.StructArray.from_arrays(values, fields=list(arrow_type(data_type)))


def array(offsets: Any, elements: Any, data_type: ArrayType) -> Any:
    """Arrays of the elements from each offset up to the next one, none of them null."""
    if len(elements) > _MOST_ELEMENTS:
        raise EngineLimit(f"arrays have {len(elements)} elements together")
    items = convert.to_outside(elements, data_type.element)
    buffers = [None, pa.py_buffer(views.values(offsets).astype(np.int32))]
    return pa.Array.from_buffers(arrow_type(data_type), len(offsets) - 1, buffers, 0, 0, [items])


def joined(offsets: Any, texts: Any, separator: str) -> Any:
    """The texts from each offset up to the next one, as one string."""
    lists = pa.ListArray.from_arrays(offsets.cast(pa.int32()), texts)
    try:
        return views.contiguous(pc.binary_join(lists, separator))
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"joining {len(texts)} strings failed: {error}") from error


def unfold(counts: Any, start: int, length: int) -> tuple[Any, Any]:
    """The source row of each of `length` rows from `start`, and the number within that row."""
    repeats = views.values(counts)
    ends = np.cumsum(repeats)
    stop = start + length
    low, high = np.searchsorted(ends, [start, stop - 1], side="right")
    part = repeats[low : high + 1].copy()
    part[-1] -= ends[high] - stop
    part[0] -= start - (ends[low] - repeats[low])
    rows = np.repeat(np.arange(low, high + 1, dtype=np.int64), part)
    return pa.array(rows), pa.array(np.arange(start, stop) - (ends - repeats)[rows])


def _items(data: Any, items: Any) -> Any:
    """The elements of the rows that are not null."""
    offsets = views.offsets(data)
    low, high = int(offsets[0]), int(offsets[-1])
    valid = views.valid(data)
    if valid is None or not np.diff(offsets)[~valid].any():
        return items.slice(low, high - low)
    owned = np.repeat(valid, np.diff(offsets))
    return pc.filter(items.slice(low, high - low), views.array(owned, pa.bool_()))
