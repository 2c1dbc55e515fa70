"""Reading of row groups; files are encoded by `files.parquet_writer`."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from broadhead.files.parquet_footer import open_footer
from broadhead.files.ranges_ahead import RangesAhead, Wanted
from broadhead.kernels.arrow import columns
from broadhead.kernels.arrow.arrays import convert, views
from broadhead.kernels.arrow.parquet_files import parquet_schema
from broadhead.types import MAX_LONG_DIGITS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from io import RawIOBase

    from broadhead.files.input_file import InputFile, Ranges
    from broadhead.files.parquet_footer import Footer
    from broadhead.kernels.interface.parquet import Encoder
    from broadhead.plan.nodes import Attribute
    from broadhead.types import DataType

_MOST_FOOTERS = 64
_BUFFER_BYTES = 1 << 20
"""Read-ahead of a column chunk, in bytes, if row groups are decoded in several batches."""
_DICTIONARY_BYTES = 3
"""Size of a value, in bytes, up to which a chunk of strings is assumed to be dictionary indices."""
_LONG_TEXT_BYTES = 256
_LARGEST_DICTIONARY = 1 << 20
"""Of a chunk with long texts. Without their dictionary its rows may take a thousand times more."""

FileRowGroups: TypeAlias = "tuple[InputFile, Sequence[int]]"
"""A file, and the numbers of its row groups to read."""


def read(
    files: Sequence[FileRowGroups],
    names: Sequence[str],
    types: Sequence[DataType],
    batch_rows: int,
    batch_bytes: int = sys.maxsize,
) -> Iterator[tuple[list[Any], list[int]]]:
    """Batches of physical data, each with the number of rows of each file."""
    waiting: list[list[Any]] = []
    rows, held = [0] * len(files), 0
    # files are closed with this generator, not with the last reference to it
    with closing(_parts(files, names, types, _Most(batch_rows, batch_bytes))) as parts:
        for number, arrays, length in parts:
            size = sum(array.nbytes for array in arrays)
            if sum(rows) and (sum(rows) + length > batch_rows or held + size > batch_bytes):
                yield _batch(waiting, names), rows
                waiting, rows, held = [], [0] * len(files), 0
            waiting.append(arrays)
            rows[number] += length
            held += size
    if sum(rows):
        yield _batch(waiting, names), rows


def _batch(waiting: Sequence[list[Any]], names: Sequence[str]) -> list[Any]:
    return columns.concat(waiting) if names else []


class _Most(NamedTuple):
    """The most that a batch has."""

    rows: int
    bytes: int

    def of(self, length: int, size: int) -> int:
        """Rows of a batch, if so many have this size in bytes."""
        if size * self.rows <= self.bytes * length:
            return self.rows
        return max(1, length * self.bytes // size)


def _parts(
    files: Sequence[FileRowGroups],
    names: Sequence[str],
    types: Sequence[DataType],
    most: _Most,
) -> Generator[tuple[int, list[Any], int]]:
    """Row groups, in batches if they are longer than one, with the number of their file."""
    wanted = [
        Wanted(source, partial(_ranges, source, group, names, types))
        for source, groups in files
        for group in groups
    ]
    positions = count()
    with RangesAhead(wanted) as ahead:
        for number, (source, groups) in enumerate(files):
            if not groups:
                continue
            with closing(_File(source, names, types, groups, most)) as file:
                for group in groups:
                    position = next(positions)
                    file.open(ahead.wait(position))
                    for arrays, length in file.read(group):
                        yield number, arrays, length
                    ahead.release(position)


def _ranges(
    source: InputFile, group: int, names: Sequence[str], types: Sequence[DataType]
) -> Ranges:
    """The ranges of a file in which a row group has the columns."""
    footer = open_footer(source)
    return footer.ranges(group, _leaves(footer, names, types))


def _leaves(footer: Footer, names: Sequence[str], types: Sequence[DataType]) -> list[int]:
    return [
        leaf
        for name, data_type in zip(names, types, strict=True)
        for leaf in footer.leaves_of(name, data_type)
    ]


class _File:
    """A file of which row groups are read, and its leaf columns of `names`."""

    def __init__(
        self,
        source: InputFile,
        names: Sequence[str],
        types: Sequence[DataType],
        groups: Sequence[int],
        most: _Most,
    ) -> None:
        self._groups = groups
        self._names = names
        self._types = types
        self._footer = footer = open_footer(source)
        integers = _integers(footer)
        if integers is not None and not integers.decimals.keys().isdisjoint(names):
            self._decimals, self._metadata = integers.decimals, integers.metadata
        else:
            self._decimals, self._metadata = {}, footer.metadata
        self._leaves = _leaves(footer, names, types)
        self._most = most
        self._most_rows = most.of(sum(map(self._length, groups)), sum(map(self._size, groups)))
        self._file: pq.ParquetFile | None = None

    def open(self, path: str) -> None:
        """Open the file at a path, unless it is open."""
        if self._file is not None:
            return
        longest = max(map(self._length, self._groups))
        self._file = pq.ParquetFile(
            path,
            metadata=self._metadata,
            # with a memory map, reading a truncated file kills the process
            memory_map=False,
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES if longest > self._most_rows else 0,
            coerce_int96_timestamp_unit="us",
            read_dictionary=self._dictionaries(self._footer, self._groups[0]),
        )

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _length(self, group: int) -> int:
        length: int = self._metadata.row_group(group).num_rows
        return length

    def _size(self, group: int) -> int:
        """The bytes of a row group's columns as they are encoded, before compression."""
        chunks = self._metadata.row_group(group)
        return sum(chunks.column(leaf).total_uncompressed_size for leaf in self._leaves)

    def read(self, group: int) -> Iterator[tuple[list[Any], int]]:
        """Physical data of a row group's columns, batch by batch, and each batch's number of rows.

        Spark and others write row groups of millions of rows. Decoding them batch by batch takes
        half the time, since each batch is still in the processor's cache when it is used.
        """
        length = self._length(group)
        assert self._file is not None
        if not self._names:
            for offset in range(0, length, self._most_rows):
                yield [], min(self._most_rows, length - offset)
        elif length <= self._most_rows:
            table = self._file.reader.read_row_group(
                group, column_indices=self._leaves, use_threads=False
            )
            yield from self._decoded(table)
        else:
            for batch in self._file.reader.iter_batches(
                self._most_rows, [group], column_indices=self._leaves, use_threads=False
            ):
                yield from self._decoded(batch)

    def _decoded(self, rows: pa.Table | pa.RecordBatch) -> Iterator[tuple[list[pa.Array], int]]:
        """Physical data of rows, in parts if the texts of their dictionaries are long."""
        length = rows.num_rows
        size = sum(map(_decoded_bytes, rows.columns))
        most = length if size <= self._most.bytes else self._most.of(length, size)
        for start in range(0, length, max(1, most)):
            part = rows.slice(start, most)
            yield self._physical(part), part.num_rows

    def _physical(self, rows: pa.Table | pa.RecordBatch) -> list[pa.Array]:
        return [
            convert.to_physical(self._as_written(rows.column(name), name), data_type)
            for name, data_type in zip(self._names, self._types, strict=True)
        ]

    def _as_written(self, data: pa.Array | pa.ChunkedArray, name: str) -> pa.Array:
        """The column in the file's own type, if the current footer declares it as integer."""
        array = views.contiguous(data)
        if name not in self._decimals or not pa.types.is_integer(array.type):
            return array
        return array.cast(pa.int64()).view(self._decimals[name])

    def _dictionaries(self, footer: Footer, group: int) -> list[str]:
        """The string columns with only dictionary-encoded chunks.

        Decoding the dictionaries here instead of in the reader halves the time.
        """
        chunks = self._metadata.row_group(group)
        found = []
        for name in self._names:
            if not _is_text(footer.schema.field(name).type):
                continue
            chunk = chunks.column(footer.leaves(name)[0])
            most = _DICTIONARY_BYTES * chunk.num_values
            if _may_have_long_texts(chunk.statistics):
                most += _LARGEST_DICTIONARY
            if chunk.has_dictionary_page and chunk.total_uncompressed_size <= most:
                found.append(chunk.path_in_schema)
        return found


@dataclass(frozen=True, slots=True)
class _Integers:
    """A footer that calls decimals stored as integers what they are stored as.

    Attributes
    ----------
    decimals
        The types of those decimals, by name.
    """

    decimals: Mapping[str, pa.DataType]
    metadata: pq.FileMetaData


def can_encode(columns: Sequence[Attribute], options: Mapping[str, Any]) -> bool:
    """False: `files.parquet_writer` encodes batches of the host."""
    return False


def encoder(columns: Sequence[Attribute], options: Mapping[str, Any], sink: RawIOBase) -> Encoder:
    """Raises AssertionError, since nothing can be encoded."""
    raise AssertionError("files of the host have an encoder of their own")


@lru_cache(maxsize=_MOST_FOOTERS)
def _integers(footer: Footer) -> _Integers | None:
    """The footer with integers instead of decimals; None without such, or if it is unfit."""
    decimals = {}
    for name in footer.schema.names:
        leaf = footer.leaf(name)
        if leaf is None:
            continue
        column = footer.metadata.schema.column(leaf)
        if (
            column.physical_type in {"INT32", "INT64"}
            and not column.max_repetition_level
            and column.logical_type.type == "DECIMAL"
        ):
            if column.precision > MAX_LONG_DIGITS:
                return None  # this file violates the format: read it without changes
            decimals[name] = pa.decimal64(column.precision, column.scale)
    if not decimals:
        return None
    try:
        return _Integers(decimals, parquet_schema.without_decimals(footer.encoded))
    except (ValueError, IndexError, OSError):
        return None


def _may_have_long_texts(statistics: pq.Statistics | None) -> bool:
    """Writers leave out the bounds of texts of some kilobytes."""
    if statistics is None or not statistics.has_min_max:
        return True
    return max(len(statistics.min_raw), len(statistics.max_raw)) >= _LONG_TEXT_BYTES


def _decoded_bytes(column: pa.Array | pa.ChunkedArray) -> int:
    """The bytes of the values of a column of dictionary indices; 0 for others."""
    if not pa.types.is_dictionary(column.type):
        return 0
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return sum(
        len(chunk) * chunk.dictionary.nbytes // max(1, len(chunk.dictionary)) for chunk in chunks
    )


def _is_text(data_type: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(data_type) for test in tests)
