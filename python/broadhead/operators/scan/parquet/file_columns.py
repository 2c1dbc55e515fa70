"""Which column of a Parquet file is which column of a scan: by name, or by the table's ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.operators.scan.parquet.stored_types import is_unsigned
from broadhead.types import ArrayType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.files.parquet_footer import Footer
    from broadhead.plan.nodes import Attribute
    from broadhead.types import DataType

ID_KEY = b"PARQUET:field_id"
"""The metadata of an Arrow field in which the reader returns the id that a file has for it."""


class FileColumns(Protocol):
    """The columns of one file, as a scan names them."""

    def resolve(self, columns: Sequence[Attribute]) -> tuple[str | None, ...]:
        """The file's own name of each column, None if it has none.

        Raises `EngineLimit` where only Spark's reader knows.
        """


@dataclass(frozen=True, slots=True)
class ColumnsByName:
    """Columns with the same name, as Spark's own tables have them.

    `options` are those of the scan: ids of columns that are found by these (`fieldIds`), and the
    kinds of the columns that no file has (`generated`).
    """

    footer: Footer
    options: Mapping[str, Any]
    case_sensitive: bool

    def resolve(self, columns: Sequence[Attribute]) -> tuple[str | None, ...]:
        """The column of the same name, in any case unless the session is case-sensitive.

        Raises `EngineLimit` if the file has one that the scan generates: Spark's reader decides.
        """
        names = [column.name for column in columns]
        found = list(self.footer.resolve(names, case_sensitive=self.case_sensitive))
        ids, generated = self.options.get("fieldIds", {}), self.options.get("generated", {})
        for ordinal, name in enumerate(names):
            if name in generated and found[ordinal] is not None:
                raise EngineLimit(f"{self.footer.path} has a column {name}")
            if name in ids:
                found[ordinal] = self.footer.names_of_ids().get(ids[name])
        return tuple(found)


class ColumnsById:
    """Columns with the same id, as tables have them whose columns may be renamed.

    `fields` are the table's columns by name, `name_mapping` the ids of columns in files without
    ids, both as in the wire format. Raises `EngineLimit` for a file whose ids nobody knows.
    """

    def __init__(
        self, footer: Footer, fields: Mapping[str, Any], name_mapping: Sequence[Any] | None
    ) -> None:
        self._path = footer.path
        self._footer = footer
        self._fields = fields
        self._schema = list(footer.schema)
        if not any(map(_has_id, self._schema)):
            if name_mapping is None:
                raise EngineLimit(f"{footer.path} has no field ids; Iceberg reads it")
            self._schema = [_with_ids(field, name_mapping) for field in self._schema]
        ids = [(_id(field), field) for field in self._schema]
        self._known = {number: field for number, field in ids if number is not None}

    def resolve(self, columns: Sequence[Attribute]) -> tuple[str | None, ...]:
        """The column of the same id."""
        found = [self._known.get(self._fields[column.name]["id"]) for column in columns]
        for field, column in zip(found, columns, strict=True):
            if field is not None:
                self._check(field, column)
        return tuple(None if field is None else field.name for field in found)

    def _check(self, field: pa.Field, column: Attribute) -> None:
        name = field.name
        if len(self._footer.schema.get_all_field_indices(name)) > 1:
            raise EngineLimit(f"{self._path} has the column {name} more than once")
        leaves = [self._footer.metadata.schema.column(leaf) for leaf in self._footer.leaves(name)]
        if any(leaf.physical_type == "INT96" or is_unsigned(leaf) for leaf in leaves):
            raise EngineLimit(f"{self._path}: Iceberg converts column {name} by own rules")
        if not _same_names(field.type, column.type, self._fields[column.name]):
            raise EngineLimit(
                f"{self._path}: fields of column {name} have other names than in the table; "
                "Iceberg reads it"
            )


def _has_id(field: pa.Field) -> bool:
    return _id(field) is not None or any(map(_has_id, _children(field.type)))


def _children(data_type: pa.DataType) -> list[pa.Field]:
    return [data_type.field(i) for i in range(data_type.num_fields)]


def _with_ids(field: pa.Field, name_mapping: Sequence[Any]) -> pa.Field:
    """The field and those below it with the ids that a name mapping has for them."""
    entry = next((entry for entry in name_mapping if field.name in entry["names"]), None)
    if entry is None:
        return field
    below = entry.get("fields", ())
    data_type = field.type
    if pa.types.is_struct(data_type):
        data_type = pa.struct([_with_ids(child, below) for child in _children(data_type)])
    elif pa.types.is_list(data_type):
        element = data_type.value_field.with_name("element")
        data_type = pa.list_(_with_ids(element, below))
    elif pa.types.is_map(data_type):
        data_type = pa.map_(
            _with_ids(data_type.key_field.with_name("key"), below),
            _with_ids(data_type.item_field.with_name("value"), below),
        )
    number = entry.get("field-id")
    metadata = None if number is None else {ID_KEY: str(number).encode()}
    return pa.field(field.name, data_type, field.nullable, metadata)


def _id(field: pa.Field) -> int | None:
    number = (field.metadata or {}).get(ID_KEY)
    return None if number is None else int(number)


def _same_names(stored: pa.DataType, data_type: DataType, ids: Mapping[str, Any]) -> bool:
    """Whether nested fields of the same id, and only these, have the same name in the file."""
    if isinstance(data_type, StructType):
        return _same_fields(stored, data_type, ids["fields"])
    if isinstance(data_type, ArrayType):
        value = getattr(stored, "value_type", None)
        return value is not None and _same_names(value, data_type.element, ids["fields"]["element"])
    if isinstance(data_type, MapType):
        key, value = getattr(stored, "key_type", None), getattr(stored, "item_type", None)
        return (
            key is not None
            and _same_names(key, data_type.key, ids["fields"]["key"])
            and _same_names(value, data_type.value, ids["fields"]["value"])
        )
    return True


def _same_fields(stored: pa.DataType, data_type: StructType, ids: Mapping[str, Any]) -> bool:
    children = {child.name: child for child in _children(stored)}
    present = {_id(child) for child in children.values()}
    for field in data_type.fields:
        wanted = ids[field.name]["id"]
        child = children.get(field.name)
        if child is None:
            if wanted in present:
                return False
        elif _id(child) != wanted or not _same_names(child.type, field.type, ids[field.name]):
            return False
    return len(children) == len(_children(stored))
