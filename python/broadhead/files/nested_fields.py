"""The leaf columns of a nested column of a Parquet file that belong to a Spark type."""

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
    """The leaf columns of the type's fields, with the type of each.

    `first` is the number of the first leaf of the column, which Arrow reads as `file`. Raises
    `EngineLimit` if the structure of the file's column differs from the type.
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
    found = field_indices(names, [field.name for field in data_type.fields])
    if all(index is None for index in found):
        raise EngineLimit(f"a struct with the fields {names} has none of the fields to read")
    for index, field in zip(found, data_type.fields, strict=True):
        if index is not None:
            yield from nested_leaves(file.field(index).type, field.type, starts[index])


def _is_list(file: pa.DataType) -> bool:
    """Whether Arrow's type is one of its list types: Arrow's own files use all of them."""
    tests = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    )
    return any(test(file) for test in tests)


def field_indices(names: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """The index of each wanted name among a struct's names: exact, else in another case."""
    exact = {name: index for index, name in enumerate(names)}
    folded = {name.lower(): index for index, name in enumerate(names)}
    return [exact.get(name, folded.get(name.lower())) for name in wanted]


def check_names(file: pa.DataType, data_type: DataType, *, case_sensitive: bool) -> None:
    """Raises `EngineLimit` if Spark resolves other fields than `field_indices`, or none."""
    if isinstance(data_type, StructType) and pa.types.is_struct(file):
        names = [field.name for field in file]
        wanted = [field.name for field in data_type.fields]
        found = field_indices(names, wanted)
        keys = names if case_sensitive else [name.lower() for name in names]
        for name, index in zip(wanted, found, strict=True):
            times = keys.count(name if case_sensitive else name.lower())
            if times > 1 or (index is not None and not times):
                raise EngineLimit(f"a struct with the fields {names} has {times} that are {name}")
        inner = [
            (file.field(index).type, field.type)
            for index, field in zip(found, data_type.fields, strict=True)
            if index is not None
        ]
    elif isinstance(data_type, ArrayType) and _is_list(file):
        inner = [(file.value_type, data_type.element)]
    elif isinstance(data_type, MapType) and pa.types.is_map(file):
        inner = [(file.key_type, data_type.key), (file.item_type, data_type.value)]
    else:
        inner = []
    for part, of in inner:
        check_names(part, of, case_sensitive=case_sensitive)
