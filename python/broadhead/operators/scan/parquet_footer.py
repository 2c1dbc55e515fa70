"""Footers of Parquet files: the row groups of a split, and the file's columns of the table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from broadhead.arrow_layout import leaf_count
from broadhead.errors import EngineLimit
from broadhead.file_fields import check_names, nested_leaves
from broadhead.types import DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow.parquet as pq

READABLE = {
    # Physical Parquet types that Spark's vectorised reader accepts for each type; logical types are
    # checked in `_accepts`
    "boolean": {"BOOLEAN"},
    "byte": {"INT32"},
    "short": {"INT32"},
    "integer": {"INT32"},
    "long": {"INT32", "INT64"},
    "float": {"FLOAT"},
    "double": {"FLOAT", "DOUBLE", "INT32"},
    "string": {"BYTE_ARRAY"},
    "binary": {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"},
    "date": {"INT32"},
    "timestamp": {"INT64", "INT96"},
    "timestamp_ntz": {"INT64"},
    "year_month_interval": {"INT32"},
    "day_time_interval": {"INT64"},
    "decimal": {"INT32", "INT64", "FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY"},
}
INTEGER_LOGICAL = {"NONE", "INT"}
LOGICAL = {
    "boolean": {"NONE"},
    "byte": INTEGER_LOGICAL,
    "short": INTEGER_LOGICAL,
    "integer": INTEGER_LOGICAL,
    "long": INTEGER_LOGICAL,
    "float": {"NONE"},
    "double": INTEGER_LOGICAL,
    "string": {"STRING", "ENUM", "JSON", "NONE"},
    "binary": {"NONE", "BSON", "STRING", "ENUM", "JSON"},
    "date": {"DATE"},
    "timestamp": {"TIMESTAMP", "NONE"},
    "timestamp_ntz": {"TIMESTAMP"},
    "year_month_interval": {"NONE"},
    "day_time_interval": {"NONE"},
}
UNSIGNED = {
    # widths of unsigned integers whose values Spark's reader keeps; it reads the bits of others as
    # a signed number
    "short": {8},
    "integer": {8, 16},
    "long": {8, 16, 32},
    "decimal": {64},
}
UNSIGNED_LONG_DIGITS = 20
CALENDAR_TYPES = {"date", "timestamp", "timestamp_ntz"}
FIRST_PROLEPTIC_VERSION = 3


@dataclass(frozen=True, slots=True)
class RowGroup:
    """One row group: `number` in the file, `rows` in it, bytes on disk."""

    number: int
    rows: int
    compressed_bytes: int


class Footer:
    """The footer of one file."""

    def __init__(self, path: str, metadata: pq.FileMetaData) -> None:
        self.path = path
        self.metadata = metadata
        # Paths of leaves do not distinguish a dot in a name from a nested field, this schema does.
        self._top_level: dict[str, list[int]] = {}
        first = 0
        self._schema = metadata.schema.to_arrow_schema()
        for field in self._schema:
            end = first + leaf_count(field.type)
            self._top_level.setdefault(field.name, []).extend(range(first, end))
            first = end

    def row_groups(self, start: int, length: int) -> Iterator[RowGroup]:
        """The row groups whose middle is in the split, as parquet-mr assigns them."""
        for middle, group in self._row_groups:
            if start <= middle < start + length:
                yield group

    @cached_property
    def _row_groups(self) -> list[tuple[int, RowGroup]]:
        """Each row group that has rows, with the position of its middle."""
        found = []
        for number in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(number)
            if not group.num_rows:
                continue
            size = sum(group.column(i).total_compressed_size for i in range(group.num_columns))
            first = group.column(0)
            begin = first.data_page_offset
            dictionary = first.dictionary_page_offset
            if dictionary is not None and 0 < dictionary < begin:
                begin = dictionary
            found.append((begin + size // 2, RowGroup(number, group.num_rows, size)))
        return found

    def resolve(self, names: Sequence[str], *, case_sensitive: bool) -> tuple[str | None, ...]:
        """The file's own name of each column, None if it has none.

        Raises `EngineLimit` if two of the file's columns differ only in case: Spark then raises its
        own error.
        """
        if case_sensitive:
            return tuple(name if name in self._top_level else None for name in names)
        folded: dict[str, list[str]] = {}
        for name in self._top_level:
            folded.setdefault(name.lower(), []).append(name)
        resolved = []
        for name in names:
            found = folded.get(name.lower(), [])
            if len(found) > 1:
                raise EngineLimit(
                    f"{self.path} has several columns for {name} that differ in case: {found}"
                )
            resolved.append(found[0] if found else None)
        return tuple(resolved)

    @cached_property
    def legacy_calendar(self) -> bool:
        """Whether an old Spark, or one in legacy mode, wrote dates of the hybrid calendar."""
        metadata = self.metadata.metadata or {}
        if {b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96"} & set(metadata):
            return True
        version = metadata.get(b"org.apache.spark.version")
        return version is not None and int(version.split(b".")[0]) < FIRST_PROLEPTIC_VERSION

    def leaf(self, name: str) -> int | None:
        """The number of the leaf column `name`, None for a nested one."""
        numbers = self._top_level[name]
        column = self.metadata.schema.column(numbers[0])
        return numbers[0] if len(numbers) == 1 and column.path == name else None

    def check_types(
        self, names: Sequence[str | None], types: Sequence[DataType], *, case_sensitive: bool
    ) -> None:
        """Raises `EngineLimit` if Spark's reader would reject or convert a column's values."""
        for name, data_type in zip(names, types, strict=False):
            if name is None:
                continue
            if (
                data_type.name in CALENDAR_TYPES | {"array", "map", "struct"}
                and self.legacy_calendar
            ):
                raise EngineLimit(f"{self.path} has dates of the Julian calendar")
            if data_type.is_nested:
                self._check_nested(name, data_type, case_sensitive=case_sensitive)
                continue
            number = self.leaf(name)
            if number is None or not self._holds(number, data_type):
                raise EngineLimit(
                    f"{self.path}: column {name} is not stored as {data_type.name}; Spark reads it"
                )

    def _check_nested(self, name: str, data_type: DataType, *, case_sensitive: bool) -> None:
        if len(self._schema.get_all_field_indices(name)) > 1:
            raise EngineLimit(f"{self.path} has the column {name} more than once")
        first = self._top_level[name][0]
        stored = self._schema.field(name).type
        check_names(stored, data_type, case_sensitive=case_sensitive)
        for number, leaf in nested_leaves(stored, data_type, first):
            if not _accepts(self.metadata.schema.column(number), leaf):
                raise EngineLimit(
                    f"{self.path}: a field of column {name} is not stored as {leaf.name}; "
                    "Spark reads it"
                )

    def _holds(self, number: int, data_type: DataType) -> bool:
        column = self.metadata.schema.column(number)
        return not column.max_repetition_level and _accepts(column, data_type)


def _accepts(column: pq.ColumnSchema, data_type: DataType) -> bool:
    if column.physical_type not in READABLE.get(data_type.name, ()):
        return False
    logical = json.loads(column.logical_type.to_json())
    if is_unsigned(column):
        fits = not isinstance(data_type, DecimalType) or (
            data_type.precision == UNSIGNED_LONG_DIGITS and data_type.scale == 0
        )
        return fits and logical["bitWidth"] in UNSIGNED.get(data_type.name, ())
    if isinstance(data_type, DecimalType):
        same_scale = column.scale == data_type.scale and column.precision <= data_type.precision
        return bool(column.logical_type.type == "DECIMAL" and same_scale)
    if logical["Type"].upper() not in LOGICAL[data_type.name]:
        return False
    if logical["Type"] == "Timestamp":
        adjusted = data_type.name == "timestamp"
        return bool(logical["isAdjustedToUTC"] == adjusted and logical["timeUnit"] != "nanoseconds")
    if data_type.name == "timestamp":
        return bool(column.physical_type == "INT96")
    return True


def is_unsigned(column: pq.ColumnSchema) -> bool:
    """Whether the column holds unsigned integers."""
    return not json.loads(column.logical_type.to_json()).get("isSigned", True)


@lru_cache(maxsize=256)
def _read(path: str, modified_ns: int, size: int) -> Footer:
    import pyarrow.parquet as pq

    del modified_ns, size  # part of the key: a rewritten file is read again
    return Footer(path, pq.read_metadata(path))


def open_footer(path: str) -> Footer:
    """The file's footer, cached for the next task that reads the same file.

    Raises OSError or pyarrow's errors for a file that is missing or corrupt.
    """
    status = Path(path).stat()
    return _read(path, status.st_mtime_ns, status.st_size)
