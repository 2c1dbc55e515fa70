"""Which parts of a nested column of a Parquet file are those of a Spark type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.arrow_layout import leaf_count
from broadhead.errors import EngineLimit
from broadhead.types import ArrayType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.types import DataType


def nested_leaves(
    file: pa.DataType, data_type: DataType, first: int
) -> Iterator[tuple[int, DataType]]:
    """The leaf columns that hold the type's parts, with the type of each.

    `first` is the number of the first leaf of the column, which Arrow reads as `file`. Raises
    `EngineLimit` where the file's column is built otherwise than the type.
    """
    if isinstance(data_type, StructType) and pa.types.is_struct(file):
        yield from _struct_leaves(file, data_type, first)
    elif isinstance(data_type, ArrayType) and _is_list(file):
        yield from nested_leaves(file.value_type, data_type.element, first)
    elif isinstance(data_type, MapType) and pa.types.is_map(file):
        yield from nested_leaves(file.key_type, data_type.key, first)
        yield from nested_leaves(file.item_type, data_type.value, first + leaf_count(file.key_type))
    elif data_type.is_nested or pa.types.is_nested(file):
        raise EngineLimit(f"a column of {data_type.name} is stored as {file}")
    else:
        yield first, data_type


def _struct_leaves(
    file: pa.StructType, data_type: StructType, first: int
) -> Iterator[tuple[int, DataType]]:
    starts = [first]
    for field in file:
        starts.append(starts[-1] + leaf_count(field.type))
    names = [field.name for field in file]
    found = places(names, [field.name for field in data_type.fields])
    if all(place is None for place in found):
        raise EngineLimit(f"a struct with the fields {names} has none of the fields to read")
    for place, field in zip(found, data_type.fields, strict=True):
        if place is not None:
            yield from nested_leaves(file.field(place).type, field.type, starts[place])


def _is_list(file: pa.DataType) -> bool:
    """Whether Arrow's type is one of its lists: files of Arrow's own name them all."""
    tests = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    )
    return any(test(file) for test in tests)


def places(names: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """Where each wanted name is among a struct's: as it is written, else in another case."""
    exact = {name: place for place, name in enumerate(names)}
    folded = {name.lower(): place for place, name in enumerate(names)}
    return [exact.get(name, folded.get(name.lower())) for name in wanted]


def check_names(file: pa.DataType, data_type: DataType, *, case_sensitive: bool) -> None:
    """Raises `EngineLimit` where Spark takes other fields than `places`, or none."""
    if isinstance(data_type, StructType) and pa.types.is_struct(file):
        names = [field.name for field in file]
        folded = [name.lower() for name in names]
        wanted = [field.name for field in data_type.fields]
        found = places(names, wanted)
        for name, place in zip(wanted, found, strict=True):
            other_case = place is not None and names[place] != name
            if (case_sensitive and other_case) or (
                not case_sensitive and folded.count(name.lower()) > 1
            ):
                raise EngineLimit(f"a struct with the fields {names} has {name} in another case")
        inner = [
            (file.field(place).type, field.type)
            for place, field in zip(found, data_type.fields, strict=True)
            if place is not None
        ]
    elif isinstance(data_type, ArrayType) and _is_list(file):
        inner = [(file.value_type, data_type.element)]
    elif isinstance(data_type, MapType) and pa.types.is_map(file):
        inner = [(file.key_type, data_type.key), (file.item_type, data_type.value)]
    else:
        inner = []
    for part, of in inner:
        check_names(part, of, case_sensitive=case_sensitive)
