"""Reading of Parquet row groups on the device, and writing of files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pylibcudf.io.parquet import read_parquet

from broadhead.files.parquet_footer import open_footer
from broadhead.files.ranges_ahead import RangesAhead, Wanted
from broadhead.kernels.cudf import columns, parquet_encoder
from broadhead.kernels.cudf.chunk_reader import ChunkFile, read_chunks, reader_options
from broadhead.kernels.cudf.parquet_types import from_parquet
from broadhead.kernels.kept_chunks import CHUNKS

if TYPE_CHECKING:
    from io import RawIOBase

    import pylibcudf as plc

    from broadhead.files.input_file import InputFile, Ranges
    from broadhead.kernels.cudf.physical import Column
    from broadhead.kernels.interface.parquet import Encoder
    from broadhead.plan.nodes import Attribute
    from broadhead.types import DataType

_ROW_BYTES = 64
"""Fraction of the device's memory for each row of a batch that its columns may use."""

_LEAST_BYTES = 1 << 20
"""Small row groups are combined up to this size."""

_FILE_BYTES = 64 << 20
"""Decoded bytes of a file that is worth a call of its own; one call reads many smaller ones."""

_MARK_BYTES = 4
_AFTER_FOOTER = 8
"""Bytes of the footer's length and of the mark, which end the file."""

FileRowGroups: TypeAlias = "tuple[InputFile, Sequence[int]]"
Layout = tuple[tuple[str, str, str], ...]


@dataclass(slots=True)
class _Part:
    """Row groups of one file that are read together."""

    file: int
    source: InputFile
    groups: list[int] = field(default_factory=list)
    rows: int = 0
    path: str = ""
    """Where its ranges are, once they are loaded."""


@dataclass(slots=True)
class _Batch:
    """The input of one call: row groups of files whose columns have the same layout."""

    layout: Layout
    parts: list[_Part] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0


def read(
    files: Sequence[FileRowGroups],
    names: Sequence[str],
    types: Sequence[DataType],
    batch_rows: int,
    batch_bytes: int = sys.maxsize,
) -> Iterator[tuple[list[Column], list[int]]]:
    """Batches of physical data, with the number of rows of each file."""
    batches = list(_batches(files, names, batch_rows))
    parts = [part for batch in batches for part in batch.parts]
    first = 0
    with RangesAhead([Wanted(p.source, partial(_ranges, p, names)) for p in parts]) as ahead:
        for batch in batches:
            positions = range(first, first + len(batch.parts))
            first = positions.stop
            for position, part in zip(positions, batch.parts, strict=True):
                part.path = ahead.wait(position)
            arrays = _read(batch, names, types) if names else []
            for position in positions:
                ahead.release(position)
            for start in range(0, batch.rows, batch_rows):
                count = min(batch_rows, batch.rows - start)
                counts = _counts(batch.parts, len(files), start, count)
                yield columns.slice(arrays, start, count) if names else [], counts


def _ranges(part: _Part, names: Sequence[str]) -> Ranges:
    """The ranges of a file in which the part's row groups have the columns, and its two ends.

    libcudf reads the footer itself, and the mark at the start.
    """
    footer = open_footer(part.source)
    leaves, _ = _leaves(footer.metadata, names)
    size = footer.metadata.serialized_size + _AFTER_FOOTER
    ends = [(0, _MARK_BYTES), (part.source.length() - size, size)]
    return ends + [found for group in part.groups for found in footer.ranges(group, leaves)]


def _counts(parts: Sequence[_Part], files: int, start: int, count: int) -> list[int]:
    """The number of rows of each file in the rows [start, start + count) of a batch."""
    result = [0] * files
    first = 0
    for part in parts:
        inside = min(first + part.rows, start + count) - max(first, start)
        result[part.file] += max(inside, 0)
        first += part.rows
    return result


def _batches(
    files: Sequence[FileRowGroups], names: Sequence[str], batch_rows: int
) -> Iterator[_Batch]:
    """The row groups combined into batches, in order; row groups without rows are omitted."""
    batch: _Batch | None = None
    most_bytes = max(batch_rows * _ROW_BYTES, _LEAST_BYTES)
    for number, (source, groups) in enumerate(files):
        if not groups:
            continue
        footer = open_footer(source)
        leaves, layout = _leaves(footer.metadata, names)
        decoded = [footer.decoded_bytes(leaf) for leaf in leaves]
        for group in groups:
            rows = footer.rows[group]
            if rows == 0:
                continue
            size = sum(sizes[group] for sizes in decoded)
            if batch is not None and (
                batch.layout != layout
                or batch.rows + rows > batch_rows
                or batch.bytes + size > most_bytes
            ):
                yield batch
                batch = None
            if batch is None:
                batch = _Batch(layout)
            if not batch.parts or batch.parts[-1].file != number:
                batch.parts.append(_Part(number, source))
            part = batch.parts[-1]
            part.groups.append(group)
            part.rows += rows
            batch.rows += rows
            batch.bytes += size
    if batch is not None:
        yield batch


def _leaves(metadata: pq.FileMetaData, names: Sequence[str]) -> tuple[list[int], Layout]:
    """The file's leaf columns under `names`: their numbers and types."""
    wanted = set(names)
    schema = metadata.schema
    numbers = [
        i
        for i in range(metadata.num_columns)
        if schema.column(i).path in wanted or schema.column(i).path.split(".", 1)[0] in wanted
    ]
    described = (schema.column(i) for i in numbers)
    return numbers, tuple((c.path, c.physical_type, str(c.logical_type)) for c in described)


def _read(batch: _Batch, names: Sequence[str], types: Sequence[DataType]) -> list[Column]:
    on_host = {name for name in names if _needs_host(name, batch.layout)}
    device_names = [name for name in names if name not in on_host]
    found = _read_on_device(batch, device_names) if device_names else {}
    return [
        _read_on_host(batch, name, data_type)
        if name in on_host
        else from_parquet(found[name], data_type)
        for name, data_type in zip(names, types, strict=True)
    ]


def _needs_host(name: str, layout: Layout) -> bool:
    """True for columns that libcudf reads incorrectly.

    INT96 becomes nanoseconds that overflow outside of 1677 to 2262 (pylibcudf has no option against
    it), and a dot in a name means a nested field.
    """
    return "." in name or any(
        physical == "INT96" and path.split(".", 1)[0] == name for path, physical, _ in layout
    )


def _read_on_device(batch: _Batch, names: list[str]) -> dict[str, Column]:
    """Numbers from chunks that may be kept, texts by one call: copies of texts cost more."""
    files = [_chunk_file(part) for part in batch.parts] if _reads_chunks(batch) else []
    texts = {path for path, physical, _ in batch.layout if physical == "BYTE_ARRAY"}
    numbers = [name for name in names if name not in texts] if all(f.footer for f in files) else []
    found = {}
    if files and numbers:
        groups = [part.groups for part in batch.parts]
        parts = [read_chunks(*of_file, numbers) for of_file in zip(files, groups, strict=True)]
        found = dict(zip(numbers, columns.concat(parts), strict=True))
    others = [name for name in names if name not in found]
    return found | (_read_whole(batch, others) if others else {})


def _read_whole(batch: _Batch, names: list[str]) -> dict[str, Column]:
    """Columns of all files by one call."""
    options = reader_options([part.path for part in batch.parts], names)
    options.set_row_groups([part.groups for part in batch.parts])
    result = read_parquet(options)
    table: plc.Table = result.tbl
    return dict(zip(result.column_names(), table.columns(), strict=True))


def _chunk_file(part: _Part) -> ChunkFile:
    source = part.source
    return ChunkFile(part.path, (source.path, source.version()), open_footer(source).encoded)


def _reads_chunks(batch: _Batch) -> bool:
    """Whether chunks of its files may be kept: not for nested fields and small files."""
    if not CHUNKS.limit or batch.bytes < _FILE_BYTES * len(batch.parts):
        return False
    return all("." not in path for path, _, _ in batch.layout)


def _read_on_host(batch: _Batch, name: str, data_type: DataType) -> Column:
    chunks: list[pa.Array] = []
    for part in batch.parts:
        metadata = open_footer(part.source).metadata
        with pq.ParquetFile(part.path, metadata=metadata, coerce_int96_timestamp_unit="us") as file:
            # a name also selects its nested columns
            table = file.read_row_groups(part.groups, columns=[name])
        chunks.extend(table.column(name).chunks)
    return columns.from_arrow(pa.concat_arrays(chunks), data_type)


def can_encode(columns: Sequence[Attribute], options: Mapping[str, Any]) -> bool:
    """Whether libcudf writes such columns as Spark does."""
    return parquet_encoder.can_encode(columns, options)


def encoder(columns: Sequence[Attribute], options: Mapping[str, Any], sink: RawIOBase) -> Encoder:
    """What encodes a file on the device."""
    return parquet_encoder.ParquetEncoder(columns, options, sink)
