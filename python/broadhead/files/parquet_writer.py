"""Parquet files as Spark writes them, encoded from Arrow batches or on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from broadhead.files.encoded_bytes import EncodedBytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.kernels.interface.parquet import Encoder
    from broadhead.plan.nodes import Attribute

ROW_GROUP_BYTES = 64 << 20
"""Bytes of Arrow data that become a row group; encoded they are a fraction of it."""

DEVICE_ROW_GROUP_BYTES = 128 << 20
"""Bytes of columns that the device encodes at once."""

_LONGEST_IN_FOOTER = 4096
"""Bytes of a value up to which Arrow writes it into the footer as an extreme."""

_SAMPLED_ROWS = 8192
_SAMPLED_SLICES = 16
_DISTINCT_SHARE = 0.99
"""Of the sampled values: a column with more has some 400,000 values, and 1 MiB is a dictionary."""


class ParquetWriter:
    """One file.

    `options`: `compression` (pyarrow's name), `dictionary`, `int96` (timestamps with a time zone as
    INT96), `fieldIds` (of the columns, each with those of the fields inside; or none) and
    `metadata`, the keys and values of the footer. `texts`: ordinals of columns of texts, none of
    which has fields inside, for `text_extremes`.
    """

    def __init__(
        self, schema: pa.Schema, options: Mapping[str, Any], texts: Collection[int] = ()
    ) -> None:
        self._schema = _with_ids(schema, options["fieldIds"])
        self._texts = texts
        self._long: dict[int, list[tuple[bytes, bytes]]] = {ordinal: [] for ordinal in texts}
        self._footer: list[pq.FileMetaData] = []
        self._metadata = options["metadata"]
        self._options = options
        self._sink = EncodedBytes()
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> Iterator[bytes | memoryview]:
        """Add rows; yields encoded bytes of the file that are complete."""
        self._waiting.append(batch)
        self._bytes += batch.nbytes
        if self._bytes >= ROW_GROUP_BYTES:
            yield from self._row_group()

    def close(self) -> Iterator[bytes | memoryview]:
        """The rest of the file."""
        yield from self._row_group()
        writer = self._opened(pa.Table.from_batches([], self._schema))
        writer.add_key_value_metadata(self._metadata)
        writer.close()
        yield from self._sink.take()

    def text_extremes(self, ordinal: int) -> tuple[bytes | None, bytes | None]:
        """The least and the greatest text of a column of `texts`, after the file is closed."""
        found = list(self._long[ordinal])
        (footer,) = self._footer
        for group in range(footer.num_row_groups):
            statistics = footer.row_group(group).column(ordinal).statistics
            if statistics.has_min_max:
                found.append((statistics.min_raw, statistics.max_raw))
        if not found:
            return None, None
        return min(least for least, _ in found), max(greatest for _, greatest in found)

    def _row_group(self) -> Iterator[bytes | memoryview]:
        rows = sum(batch.num_rows for batch in self._waiting)
        if rows:
            table = pa.Table.from_batches(self._waiting, self._schema)
            for ordinal in self._texts:
                self._long[ordinal] += _extremes_of_long(table.column(ordinal))
            self._opened(table).write_table(table, row_group_size=rows)
        self._waiting.clear()
        self._bytes = 0
        yield from self._sink.take()

    def _opened(self, table: pa.Table) -> pq.ParquetWriter:
        """The writer, made when the first rows of the file are known."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                pa.PythonFile(self._sink, "w"),
                self._schema,
                version="2.6",
                compression=self._options["compression"],
                use_dictionary=_repeating(table) if self._options["dictionary"] else False,
                use_deprecated_int96_timestamps=self._options["int96"],
                store_decimal_as_integer=True,
                store_schema=False,
                write_page_index=True,
                metadata_collector=self._footer,
            )
        return self._writer


def _extremes_of_long(column: pa.ChunkedArray) -> list[tuple[bytes, bytes]]:
    """The least and the greatest value, if there are values too long for the footer."""
    longest = pc.max(pc.binary_length(column)).as_py()
    if longest is None or longest <= _LONGEST_IN_FOOTER:
        return []
    found = pc.min_max(column.cast(pa.binary()))
    return [(found["min"].as_py(), found["max"].as_py())]


def _repeating(table: pa.Table) -> bool | list[str]:
    """The columns with a dictionary: not those whose values, each for itself, would overflow it.

    All columns where some have fields inside, since these go by other names in the file.
    """
    nested = any(pa.types.is_nested(kind) or pa.types.is_null(kind) for kind in table.schema.types)
    if nested or table.num_rows < 10 * _SAMPLED_ROWS:
        return True
    each = _SAMPLED_ROWS // _SAMPLED_SLICES
    step = (table.num_rows - each) // (_SAMPLED_SLICES - 1)
    slices = [table.slice(number * step, each) for number in range(_SAMPLED_SLICES)]
    sample = pa.concat_tables(slices)
    most = _DISTINCT_SHARE * sample.num_rows
    return [
        name
        for name, column in zip(sample.column_names, sample.columns, strict=True)
        if pc.count_distinct(column).as_py() <= most
    ]


def _with_ids(schema: pa.Schema, ids: Sequence[Mapping[str, Any]]) -> pa.Schema:
    """The schema with these ids of columns, which are in the file then."""
    if not ids:
        return schema
    return pa.schema([_with_id(field, own) for field, own in zip(schema, ids, strict=True)])


def _with_id(field: pa.Field, ids: Mapping[str, Any]) -> pa.Field:
    inner = [_with_id(*pair) for pair in zip(_inside(field.type), ids["children"], strict=True)]
    kind = field.type
    if pa.types.is_struct(kind):
        kind = pa.struct(inner)
    elif pa.types.is_map(kind):
        kind = pa.map_(*inner)
    elif inner:
        kind = pa.list_(*inner)
    return pa.field(field.name, kind, field.nullable, {"PARQUET:field_id": str(ids["id"])})


def _inside(kind: pa.DataType) -> list[pa.Field]:
    if pa.types.is_struct(kind):
        return list(kind)
    if pa.types.is_map(kind):
        return [kind.key_field, kind.item_field]
    return [kind.value_field] if pa.types.is_list(kind) else []


class DeviceParquetWriter:
    """One file that the device encodes, with the options of `ParquetWriter`."""

    def __init__(
        self, kernels: Kernels, columns: Sequence[Attribute], options: Mapping[str, Any]
    ) -> None:
        self._kernels = kernels
        self._sink = EncodedBytes()
        self._encoder: Encoder = kernels.parquet.encoder(columns, options, self._sink)
        self._waiting: list[Sequence[Array]] = []
        self._bytes = 0

    def write(self, columns: Sequence[Array]) -> Iterator[bytes | memoryview]:
        """Add rows; yields encoded bytes of the file that are complete."""
        self._waiting.append(columns)
        self._bytes += sum(map(self._kernels.columns.nbytes, columns))
        if self._bytes >= DEVICE_ROW_GROUP_BYTES:
            yield from self._row_group()

    def close(self) -> Iterator[bytes | memoryview]:
        """The rest of the file."""
        yield from self._row_group()
        self._encoder.close()
        yield from self._sink.take()

    def _row_group(self) -> Iterator[bytes | memoryview]:
        if self._waiting:
            waiting = self._waiting
            columns = waiting[0] if len(waiting) == 1 else self._kernels.columns.concat(waiting)
            self._encoder.write(columns)
        self._waiting = []
        self._bytes = 0
        yield from self._sink.take()
