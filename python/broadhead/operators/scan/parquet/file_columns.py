"""Which column of a Parquet file is which column of a scan: by name, or by the table's ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from broadhead.errors import EngineLimit
from broadhead.operators.scan.parquet.stored_types import is_unsigned
from broadhead.types import ArrayType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

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
    """Columns with the same name, as Spark's own tables have them."""

    footer: Footer
    case_sensitive: bool

    def resolve(self, columns: Sequence[Attribute]) -> tuple[str | None, ...]:
        """The column of the same name, in any case unless the session is case-sensitive."""
        names = [column.name for column in columns]
        return self.footer.resolve(names, case_sensitive=self.case_sensitive)


@dataclass(frozen=True, slots=True)
class ColumnsById:
    """Columns with the same id, as tables have them whose columns may be renamed.

    `fields` are the table's columns by name, as in the wire format.
    """

    footer: Footer
    fields: Mapping[str, Any]

    def resolve(self, columns: Sequence[Attribute]) -> tuple[str | None, ...]:
        """The column of the same id. Raises `EngineLimit` for a file without ids."""
        known = dict(self._ids())
        if not known:
            raise EngineLimit(f"{self.footer.path} has no field ids; Iceberg reads it")
        found = [known.get(self.fields[column.name]["id"]) for column in columns]
        for name, column in zip(found, columns, strict=True):
            if name is not None:
                self._check(name, column)
        return tuple(found)

    def _ids(self) -> Iterator[tuple[int, str]]:
        for field in self.footer.schema:
            number = _id(field)
            if number is not None:
                yield number, field.name

    def _check(self, name: str, column: Attribute) -> None:
        if len(self.footer.schema.get_all_field_indices(name)) > 1:
            raise EngineLimit(f"{self.footer.path} has the column {name} more than once")
        leaves = [self.footer.metadata.schema.column(leaf) for leaf in self.footer.leaves(name)]
        if any(leaf.physical_type == "INT96" or is_unsigned(leaf) for leaf in leaves):
            raise EngineLimit(f"{self.footer.path}: Iceberg converts column {name} by own rules")
        stored = self.footer.schema.field(name).type
        if not _same_names(stored, column.type, self.fields[column.name]):
            raise EngineLimit(
                f"{self.footer.path}: fields of column {name} have other names than in the table; "
                "Iceberg reads it"
            )


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
    children = list(getattr(stored, "fields", None) or ())
    numbers = {child.name: _id(child) for child in children}
    present = set(numbers.values())
    for field in data_type.fields:
        wanted = ids[field.name]["id"]
        if field.name in numbers:
            child = next(child for child in children if child.name == field.name)
            if numbers[field.name] != wanted:
                return False
            if not _same_names(child.type, field.type, ids[field.name]):
                return False
        elif wanted in present:
            return False
    return len(numbers) == len(children)
