"""Footers of Parquet files: their row groups, and where the file has its columns.

Scans choose row groups by them and kernels read by them: each file's is parsed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from broadhead.arrow_layout import leaf_count
from broadhead.errors import EngineLimit
from broadhead.file_fields import nested_leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

    from broadhead.types import DataType

FIRST_PROLEPTIC_VERSION = 3


@dataclass(frozen=True, slots=True)
class RowGroup:
    """One row group: `number` in the file, `rows` in it, bytes on disk."""

    number: int
    rows: int
    compressed_bytes: int


class Footer:
    """The footer of one file.

    Attributes
    ----------
    schema
        The columns as Arrow's reader gives them.
    """

    def __init__(self, path: str, metadata: pq.FileMetaData) -> None:
        self.path = path
        self.metadata = metadata
        self.schema: pa.Schema = metadata.schema.to_arrow_schema()
        # Paths of leaves do not distinguish a dot in a name from a nested field, this schema does.
        self._top_level: dict[str, list[int]] = {}
        first = 0
        for field in self.schema:
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

    def leaves(self, name: str) -> Sequence[int]:
        """The numbers of all leaf columns of a top-level column."""
        return self._top_level[name]

    def leaves_of(self, name: str, data_type: DataType) -> Sequence[int]:
        """The numbers of a column's leaves that hold the values of the type, which may be fewer."""
        leaves = self._top_level[name]
        if not data_type.is_nested:
            return leaves
        stored = self.schema.field(name).type
        return [number for number, _ in nested_leaves(stored, data_type, leaves[0])]

    def leaf(self, name: str) -> int | None:
        """The number of the leaf column `name`, None for a nested one."""
        numbers = self._top_level[name]
        column = self.metadata.schema.column(numbers[0])
        return numbers[0] if len(numbers) == 1 and column.path == name else None


@lru_cache(maxsize=256)
def _read(path: str, modified_ns: int, size: int) -> Footer:
    import pyarrow.parquet as pq

    del modified_ns, size  # part of the key: a rewritten file is read again
    return Footer(path, pq.read_metadata(path))


def open_footer(path: str) -> Footer:
    """The file's footer, cached for the next task that reads the same file. Thread-safe.

    Raises OSError or pyarrow's errors for a file that is missing or corrupt.
    """
    status = Path(path).stat()
    return _read(path, status.st_mtime_ns, status.st_size)
