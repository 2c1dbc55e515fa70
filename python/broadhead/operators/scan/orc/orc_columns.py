"""Columns of ORC files: those that belong to a table's columns, with values of the same type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.files.orc_footer import Kind
from broadhead.types import ArrayType, DecimalType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.files.orc_footer import OrcFooter, OrcType
    from broadhead.types import DataType

KINDS: Mapping[str, Kind] = {
    "boolean": Kind.BOOLEAN,
    "byte": Kind.BYTE,
    "short": Kind.SHORT,
    "integer": Kind.INT,
    "long": Kind.LONG,
    "float": Kind.FLOAT,
    "double": Kind.DOUBLE,
    "string": Kind.STRING,
    "binary": Kind.BINARY,
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
    "timestamp_ntz": Kind.LONG,
    "year_month_interval": Kind.INT,
    "day_time_interval": Kind.LONG,
}
"""How Spark stores each atomic type but decimals; values of other kinds are converted by Spark."""

UNKNOWN_TO_SPARK = {Kind.UNION, Kind.TIMESTAMP_INSTANT, Kind.GEOMETRY, Kind.GEOGRAPHY}

_WITHOUT_NAMES = "_col"
"""What all columns are called in files of old versions of Hive, with their number."""


def columns_of(
    footer: OrcFooter,
    wanted: Sequence[str],
    types: Sequence[DataType],
    table: Sequence[tuple[str, str]],
    *,
    case_sensitive: bool,
) -> tuple[int | None, ...]:
    """The number of each wanted column in the file; None for one that it does not have.

    `table` has names and types of all columns of the table's files. Raises `EngineLimit` if Spark
    would raise an error or convert values.
    """
    root = footer.root
    if root.kind is not Kind.STRUCT or not root.names:
        raise EngineLimit(f"{footer.path} has no columns")
    _check_all(footer, table)
    if all(name.startswith(_WITHOUT_NAMES) for name in root.names):
        found = _by_position(footer, wanted, [name for name, _ in table])
    else:
        found = _by_name(footer, wanted, case_sensitive=case_sensitive)
    for name, number, data_type in zip(wanted, found, types, strict=False):
        if number is not None and not is_stored_as(root.children[number], data_type):
            raise EngineLimit(
                f"{footer.path}: column {name} is not stored as {data_type.name}; Spark reads it"
            )
    return tuple(found)


def _by_position(
    footer: OrcFooter, wanted: Sequence[str], table: Sequence[str]
) -> list[int | None]:
    count = len(footer.root.names)
    if count > len(table):
        raise EngineLimit(f"{footer.path} has more columns than the table, and no names")
    positions = [table.index(name) for name in wanted]
    return [position if position < count else None for position in positions]


def _by_name(footer: OrcFooter, wanted: Sequence[str], *, case_sensitive: bool) -> list[int | None]:
    folded = [name if case_sensitive else name.lower() for name in footer.root.names]
    found: list[int | None] = []
    for name in wanted:
        key = name if case_sensitive else name.lower()
        if folded.count(key) > 1:
            raise EngineLimit(f"{footer.path} has several columns for {name}")
        found.append(folded.index(key) if key in folded else None)
    return found


def _check_all(footer: OrcFooter, table: Sequence[tuple[str, str]]) -> None:
    """Raises `EngineLimit` where Spark may refuse a file because of any column of it.

    Spark translates the types of all columns, also of those that it does not read, and compares
    timestamps of file and table by the positions of their columns.
    """
    unknown = [part.kind.name for part in footer.root.parts() if part.kind in UNKNOWN_TO_SPARK]
    if unknown:
        raise EngineLimit(f"{footer.path} has columns of the type {unknown[0]}")
    for stored, (name, data_type) in zip(footer.root.children, table, strict=False):
        if not stored.children:
            both = {_timestamp(stored), data_type if data_type.startswith("timestamp") else ""}
            differ = len(both - {""}) > 1
        else:
            differ = any(_timestamp(part) for part in stored.parts())
        if differ:
            raise EngineLimit(f"{footer.path} may have other timestamps than the table's {name}")


def _timestamp(stored: OrcType) -> str:
    """Spark's name of a type of timestamps, else an empty text."""
    if stored.kind is Kind.TIMESTAMP:
        return stored.catalyst or "timestamp"
    return stored.catalyst if stored.catalyst.startswith("timestamp") else ""


def is_stored_as(stored: OrcType, data_type: DataType) -> bool:
    """Whether the values are those of the type, in all parts of it."""
    match data_type:
        case StructType():
            folded = [name.lower() for name in stored.names]
            return stored.kind is Kind.STRUCT and all(
                field.name in stored.names
                and folded.count(field.name.lower()) == 1
                and is_stored_as(stored.children[stored.names.index(field.name)], field.type)
                for field in data_type.fields
            )
        case ArrayType():
            return stored.kind is Kind.LIST and is_stored_as(stored.children[0], data_type.element)
        case MapType():
            return (
                stored.kind is Kind.MAP
                and is_stored_as(stored.children[0], data_type.key)
                and is_stored_as(stored.children[1], data_type.value)
            )
        case DecimalType():
            digits = (stored.precision, stored.scale)
            return stored.kind is Kind.DECIMAL and digits == (data_type.precision, data_type.scale)
    return KINDS.get(data_type.name) is stored.kind
