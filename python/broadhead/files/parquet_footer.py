"""Footers of Parquet files: their row groups, and where the file has its columns.

Scans choose row groups by them and kernels read by them: each file's is parsed once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from broadhead.arrow_layout import leaf_count
from broadhead.errors import EngineLimit
from broadhead.files.input_file import read_range
from broadhead.files.leaf_statistics import leaf_statistics
from broadhead.files.nested_fields import nested_leaves

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

    from broadhead.files.input_file import InputFile, OpenedFile, Ranges
    from broadhead.files.leaf_statistics import LeafStatistics
    from broadhead.types import DataType

FIRST_PROLEPTIC_VERSION = 3
MOST_FOOTERS = 256
FOOTERS_AT_ONCE = 8
"""Footers that are fetched at the same time, since each waits for the store."""

_TAIL_BYTES = 128 << 10
"""Bytes at the end of a file that are fetched at once: most footers are shorter."""

_MARK = b"PAR1"
_MOST_ENCODED = 1 << 20
"""Larger footers are kept in their decoded form alone."""

_END_BYTES = 4 + len(_MARK)
"""The length of the footer, and the mark after it."""

_VALUE_BYTES = 8


@dataclass(frozen=True, slots=True)
class RowGroup:
    """One row group: `number` in the file, rows before it and in it, bytes on disk."""

    number: int
    first_row: int
    rows: int
    compressed_bytes: int


class Footer:
    """The footer of one file.

    Attributes
    ----------
    schema
        The columns as Arrow's reader gives them.
    encoded
        The footer in its Thrift encoding; empty if it is unusual or very long.
    """

    def __init__(self, path: str, metadata: pq.FileMetaData, encoded: bytes) -> None:
        self.path = path
        self.metadata = metadata
        self.encoded = encoded
        self.schema: pa.Schema = metadata.schema.to_arrow_schema()
        # Paths of leaves do not distinguish a dot in a name from a nested field, this schema does.
        self._top_level: dict[str, list[int]] = {}
        self._statistics: dict[int, LeafStatistics] = {}
        self._decoded_bytes: dict[int, list[int]] = {}
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
        first_row = end_row = 0
        for number in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(number)
            first_row, end_row = end_row, end_row + group.num_rows
            if not group.num_rows:
                continue
            size = sum(group.column(i).total_compressed_size for i in range(group.num_columns))
            first = group.column(0)
            begin = first.data_page_offset
            dictionary = first.dictionary_page_offset
            if dictionary is not None and 0 < dictionary < begin:
                begin = dictionary
            found.append((begin + size // 2, RowGroup(number, first_row, group.num_rows, size)))
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

    def names_of_ids(self) -> Mapping[int, str]:
        """The top-level columns by their field ids.

        Raises `EngineLimit` if there are none, or a column has two: Spark decides what is read.
        """
        found: dict[int, str] = {}
        for field in self.schema:
            text = (field.metadata or {}).get(b"PARQUET:field_id")
            if text is None:
                continue
            if int(text) in found or len(self._top_level[field.name]) != leaf_count(field.type):
                raise EngineLimit(f"{self.path} has several columns with the field id {int(text)}")
            found[int(text)] = field.name
        if not found:
            raise EngineLimit(f"{self.path} has no field ids")
        return found

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

    def ranges(self, group: int, leaves: Sequence[int]) -> Ranges:
        """The ranges of the file that hold these leaves of a row group."""
        row_group = self.metadata.row_group(group)
        found = []
        for leaf in leaves:
            chunk = row_group.column(leaf)
            start = chunk.data_page_offset
            if chunk.dictionary_page_offset is not None:
                start = min(start, chunk.dictionary_page_offset)
            found.append((start, chunk.total_compressed_size))
        return found

    def statistics(self, leaf: int) -> LeafStatistics:
        """Those of a leaf column by row group; kept, since every task with a filter asks."""
        found = self._statistics.get(leaf)
        if found is None:
            found = self._statistics[leaf] = leaf_statistics(self.metadata, leaf)
        return found

    @cached_property
    def rows(self) -> list[int]:
        """The number of rows of each row group."""
        groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
        return [group.num_rows for group in groups]

    def decoded_bytes(self, leaf: int) -> list[int]:
        """An estimate of the decoded size of a leaf column, by row group.

        Dictionaries make pages far smaller than what they decode to.
        """
        found = self._decoded_bytes.get(leaf)
        if found is None:
            groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
            found = self._decoded_bytes[leaf] = [
                max(group.column(leaf).total_uncompressed_size, _VALUE_BYTES * group.num_rows)
                for group in groups
            ]
        return found

    def leaf(self, name: str) -> int | None:
        """The number of the leaf column `name`, None for a nested one."""
        numbers = self._top_level[name]
        column = self.metadata.schema.column(numbers[0])
        return numbers[0] if len(numbers) == 1 and column.path == name else None


class _Footers:
    """The footers that were read last, by path; one of a file that has changed is read again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Hashable, Footer]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: str, version: Hashable) -> Footer | None:
        with self._lock:
            kept = self._kept.get(path)
            if kept is None or kept[0] != version:
                return None
            self._kept.move_to_end(path)
            return kept[1]

    def put(self, footer: Footer, version: Hashable) -> None:
        with self._lock:
            self._kept[footer.path] = version, footer
            self._kept.move_to_end(footer.path)
            while len(self._kept) > MOST_FOOTERS:
                self._kept.popitem(last=False)


_FOOTERS = _Footers()


def open_footer(file: InputFile) -> Footer:
    """The file's footer, cached for the next task that reads the same file. Thread-safe.

    Raises OSError or pyarrow's errors for a file that is missing or corrupt.
    """
    version = file.version()
    footer = _FOOTERS.get(file.path, version)
    if footer is None:
        footer = _read(file)
        _FOOTERS.put(footer, version)
    return footer


def open_footers(files: Sequence[InputFile]) -> Iterator[Footer]:
    """The footers of the files, in order; those that have to be fetched, several at a time."""
    if all(file.is_local for file in files) or len(files) == 1:
        yield from map(open_footer, files)
        return
    with ThreadPoolExecutor(FOOTERS_AT_ONCE, "broadhead-footers") as pool:
        yield from pool.map(open_footer, files)


def _read(file: InputFile) -> Footer:
    import pyarrow.parquet as pq

    with closing(file.open()) as opened:
        encoded = _encoded(opened, file.length())
        return Footer(file.path, pq.read_metadata(opened.path), encoded)


def _encoded(opened: OpenedFile, length: int) -> bytes:
    """The bytes of the footer; when it returns, it can be read by the path of `opened`."""
    start = max(0, length - _TAIL_BYTES)
    opened.wait([(start, length - start)])
    end = read_range(opened.path, max(0, length - _END_BYTES), _END_BYTES)
    size = int.from_bytes(end[:-4], "little")
    if end[-4:] != _MARK or size > length - _END_BYTES:
        return b""  # what reads it next says what is wrong with it
    first = length - _END_BYTES - size
    if first < start:
        opened.wait([(first, start - first)])
    return read_range(opened.path, first, size) if size <= _MOST_ENCODED else b""
